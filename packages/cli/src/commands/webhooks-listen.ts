import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import { eventNames } from '@hortus/contract/events';
import { chosen, readSecret } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { type ReceivedDelivery, startListener } from '../listening/listener.ts';
import { printJsonItem } from '../output/json.ts';
import { paint } from '../output/paint.ts';
import { safeLine, safeText } from '../output/safe-text.ts';
import type { Terminal } from '../world/terminal.ts';

const anyAddress = ['0.0.0.0', '::'];
const reachable =
  'Give an address that the service reaches with --url, such as that of a tunnel. A service of your own accepts private addresses with HORTUS_WEBHOOK_ALLOW_PRIVATE=true.';

export const webhooksListen = command({
  name: 'webhooks listen',
  summary: 'Receive webhooks on this machine, verify and show them',
  about:
    'For developing a receiver. The service must be able to reach this machine. With --register it adds a webhook with a secret\nof its own, and removes it at the end. A delivery with a wrong signature is answered with 403 and not forwarded.',
  options: {
    port: { type: 'string', value: 'number', about: 'Port to listen on; default 8421.' },
    host: { type: 'string', value: 'address', about: 'Address to listen on; default 127.0.0.1.' },
    'secret-file': {
      type: 'string',
      value: 'path',
      about: 'Verify with the secret in this file; - reads standard input.',
    },
    forward: { type: 'string', value: 'address', about: 'Send each delivery on to this address and answer like it.' },
    register: { type: 'boolean', about: 'Add a webhook for as long as this command runs.' },
    url: {
      type: 'string',
      value: 'address',
      about: 'With --register: the address under which the service reaches this.',
    },
    event: {
      type: 'string',
      value: 'event',
      multiple: true,
      about: 'With --register: only this event; default is all.',
    },
    count: { type: 'string', value: 'number', about: 'End after this many deliveries.' },
    brief: { type: 'boolean', about: 'Show one line for each delivery, without its body.' },
  },
  examples: [
    ['hortus webhooks listen --register', 'Shows the events of a service on this machine.'],
    [
      'hortus webhooks listen --register --url https://me.tunnel.example.org --forward http://localhost:3000/hooks',
      'Sends the events of any service to the program you are writing.',
    ],
    ['hortus webhooks listen --secret-file secret.txt --json', 'Deliveries of an existing webhook, one per line.'],
  ],
  calls: ['webhooks.create', 'webhooks.test', 'webhooks.delete'],
  async run(call) {
    const { options, json, world } = call;
    const events = options.event.map((word) => chosen('event', word, eventNames) as (typeof eventNames)[number]);
    const port = numberOf('port', options.port ?? '8421', 65_535);
    const count = options.count === undefined ? Number.POSITIVE_INFINITY : numberOf('count', options.count, 1_000_000);
    const host = options.host ?? '127.0.0.1';
    if (options.register && options['secret-file'] !== undefined)
      throw new Failure('usage', '--register makes a secret of its own; leave out --secret-file.');
    if (options.register && options.url === undefined && anyAddress.includes(host))
      throw new Failure('usage', `${host} is every address of this machine; name one for the service with --url.`);
    const forward = options.forward === undefined ? undefined : webAddress('forward', options.forward);
    const secret = options.register
      ? randomBytes(32).toString('hex')
      : options['secret-file'] && (await readSecret(world, 'secret', options['secret-file']));

    const end = new AbortController();
    const interrupted = world.interrupted();
    let shown = 0;
    const received = (delivery: ReceivedDelivery) => {
      if (json) printJsonItem(world.terminal, delivery);
      else world.terminal.out(deliveryText(world.terminal, delivery, options.brief));
      if (++shown >= count) end.abort();
    };
    const listener = await startListener({ host, port, secret, forward, now: world.now, received });
    let webhook: string | undefined;
    try {
      const own = `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
      world.terminal.note(`Listening on ${own}\n`);
      if (options.register) {
        const url = options.url ?? own;
        const body = { url, events: events.length > 0 ? events : [...eventNames], secret: secret ?? '' };
        webhook = await register(await call.client(), body);
        await checkReachable(await call.client(), webhook, url);
        world.terminal.note(`Events are sent to ${url} until you press Ctrl-C.\n`);
      }
      const over = AbortSignal.any([end.signal, interrupted]);
      if (!over.aborted) await once(over, 'abort');
    } finally {
      if (webhook !== undefined) await remove(await call.client(), webhook, world.terminal);
      await listener.close();
    }
    return interrupted.aborted ? 'interrupted' : 'ok';
  },
});

type Registration = { url: string; events: (typeof eventNames)[number][]; secret: string };

async function register(client: Client, body: Registration): Promise<string> {
  try {
    return (await client.call('webhooks.create', { body })).data.id;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'VALIDATION_ERROR') throw error;
    throw new Failure('refused', error.message, { hint: reachable, problem: error });
  }
}

async function checkReachable(client: Client, id: string, url: string): Promise<void> {
  const { data } = await client.call('webhooks.test', { params: { id } });
  if (!data.delivered)
    throw new Failure('failed', `The service cannot reach ${url}: ${data.error ?? data.response_code}.`, {
      hint: reachable,
    });
}

async function remove(client: Client, id: string, terminal: Terminal): Promise<void> {
  try {
    await client.call('webhooks.delete', { params: { id } });
    terminal.note('The webhook is removed.\n');
  } catch (error) {
    terminal.note(
      safeText(`The webhook is not removed: ${(error as Error).message}\nhortus webhooks remove ${id} removes it.\n`),
    );
  }
}

function numberOf(option: string, input: string, max: number): number {
  const number = Number(input);
  if (/^\d{1,7}$/.test(input) && number <= max) return number;
  throw new Failure('usage', `--${option} must be a number of at most ${max}.`);
}

function webAddress(option: string, input: string): string {
  if (/^https?:$/.test(URL.parse(input)?.protocol ?? '')) return input;
  throw new Failure('usage', `--${option} must be an http or https address.`);
}

function deliveryText(terminal: Terminal, delivery: ReceivedDelivery, brief: boolean): string {
  const { at, event, verified, forwarded, body } = delivery;
  const signature =
    verified === null
      ? paint(terminal, 'dim', 'signature not checked')
      : verified
        ? paint(terminal, 'good', 'verified')
        : paint(terminal, 'bad', 'wrong signature, refused');
  const passed = forwarded === null ? '' : `  forwarded: ${safeLine(String(forwarded))}`;
  const line = `${at}  ${paint(terminal, 'bold', safeLine(event ?? 'no event'))}  ${signature}${passed}\n`;
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  return brief ? line : `${line}${safeText(text)}\n\n`;
}
