import { type Client, createClient } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import { pageTokenHeader } from '@hortus/contract/protocol/page-token';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import type { Settings } from '../settings/settings.ts';
import type { World } from '../world/world.ts';

export const confirm = command({
  name: 'confirm',
  summary: 'Confirm or reject a dangerous call that an assistant asks for',
  about:
    'Asks for your password: the service accepts only a person who signs in, because an assistant may use the same key as you.\nThe service then carries the call out with your permissions.',
  args: ['confirmation'],
  options: { reject: { type: 'boolean', about: 'Reject it instead.' } },
  examples: [
    ['hortus confirm cnf_01j9zq3v5t8x2m4n6p7r9s0abc', 'Shows the call, asks for e-mail and password, carries it out.'],
    ['hortus confirm cnf_01j9zq3v5t8x2m4n6p7r9s0abc --reject', 'Rejects it.'],
  ],
  calls: [
    'confirmations.read',
    'account.read',
    'account.login',
    'confirmations.confirm',
    'confirmations.reject',
    'account.logout',
  ],
  async run({ args, options, json, client, settings, world }) {
    const { terminal } = world;
    if (!terminal.interactive)
      throw new Failure('usage', 'A person must confirm this at a terminal, or in the console.');
    const service = await client();
    const params = { id: args.confirmation };
    const { data } = await service.call('confirmations.read', { params });
    terminal.note(`${safeLine(data.title)}\nRequested by ${safeLine(data.requested_by_name ?? data.requested_by)}.\n`);
    // Values that the title does not name, such as the params of an action.
    for (const [name, value] of Object.entries({ ...data.query, ...data.body }))
      terminal.note(`${safeLine(name)}: ${safeLine(JSON.stringify(value))}\n`);
    if (data.reason !== null) terminal.note(`It says: ${safeLine(data.reason)}\n`);
    if (data.status !== 'pending') throw new Failure('usage', `It is ${data.status} already.`);
    const person = await signIn(world, service, await settings());
    try {
      const decided = await person.call(options.reject ? 'confirmations.reject' : 'confirmations.confirm', { params });
      if (json) printJson(terminal, decided.data);
      else terminal.out(outcome(decided.data));
      return decided.data.status === 'failed' ? 'failed' : 'ok';
    } finally {
      await person.call('account.logout');
    }
  },
});

function outcome({
  status,
  result_id,
  error,
}: {
  status: string;
  result_id: string | null;
  error: string | null;
}): string {
  if (status === 'done') return `Confirmed and carried out${result_id === null ? '' : `: ${result_id}`}.\n`;
  return status === 'failed' ? `Confirmed, but it failed: ${safeLine(error ?? '')}\n` : `It is ${status}.\n`;
}

/** Signs in with a password and returns a client with that session, which belongs to the pages of the service. */
async function signIn({ terminal }: World, service: Client, { url }: Settings): Promise<Client> {
  const { user } = (await service.call('account.read')).data;
  const asked = (await terminal.ask(`E-mail${user ? ` [${user.email}]` : ''}: `)).trim();
  const password = await terminal.ask('Password (not shown): ', { hidden: true });
  let cookie = '';
  let pageToken = '';
  const { origin } = new URL(url);
  const send: typeof fetch = async (address, init) => {
    const headers = {
      ...(init?.headers as Record<string, string>),
      origin,
      ...(cookie && { cookie, [pageTokenHeader]: pageToken }),
    };
    const response = await fetch(address, { ...init, headers });
    cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? cookie;
    return response;
  };
  const person = createClient({ baseUrl: url, fetch: send });
  try {
    const { data } = await person.call('account.login', { body: { email: asked || (user?.email ?? ''), password } });
    pageToken = data.page_token;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'UNAUTHORIZED') throw error;
    throw new Failure('forbidden', 'The e-mail or the password is wrong. Nothing was changed.', { problem: error });
  }
  return person;
}
