import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Bench, type Figure, median } from './claim.ts';
import { startService } from './service-process.ts';

const ENDPOINTS = 25;
const DEFINITIONS = 40;
const DELIVERIES = ENDPOINTS * DEFINITIONS;
/** Maximum number of concurrent requests of the service to these endpoints. */
const AT_ONCE = ENDPOINTS * 4;
const PROBES = 30;

/** Measures deliveries per second, and whether a hanging receiver delays others. */
export const webhooksBench: Bench = {
  name: 'webhooks',
  async run(repetitions) {
    const rates: { ours: number; bare: number }[] = [];
    const delays: { alone: number; beside: number }[] = [];
    for (let i = 0; i < repetitions; i++) {
      await using setup = await openSetup();
      rates.push({ bare: await bareRate(setup), ours: await deliveryRate(setup) });
      delays.push(await delaysWithAndWithout(setup));
    }
    return [rateFigure(rates), delayFigure(delays)];
  },
};

const rateFigure = (rates: readonly { ours: number; bare: number }[]): Figure => ({
  claim: `${DELIVERIES} webhook deliveries to ${ENDPOINTS} endpoints, signed and recorded`,
  value: median(rates.map(({ ours }) => ours)),
  unit: 'a second',
  against: { name: 'a second by a bare fetch loop', value: median(rates.map(({ bare }) => bare)) },
  ratio: median(rates.map(({ ours, bare }) => ours / bare)),
  promise: { atLeast: 0.1 },
  note: 'ours counts from the first order of a definition, so those are in it too',
});

const delayFigure = (delays: readonly { alone: number; beside: number }[]): Figure => ({
  claim: 'from the answer to the delivery, while another receiver hangs',
  value: median(delays.map(({ beside }) => beside)),
  unit: 'ms',
  against: { name: 'ms while none hangs', value: median(delays.map(({ alone }) => alone)) },
  ratio: median(delays.map(({ alone, beside }) => beside / alone)),
  promise: { atMost: 1.5 },
});

type Setup = Awaited<ReturnType<typeof openSetup>>;

async function openSetup() {
  const service = await startService({ env: { HORTUS_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const arrivals: { at: number; path: string }[] = [];
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      arrivals.push({ at: performance.now(), path: request.url ?? '' });
      response.end();
    });
  });
  const hanging = createServer((request) => void request.resume());
  const body = { name: 'bench', environment: 'production' } as const;
  const { id: server } = (await service.client.call('servers.register', { body })).data;
  return {
    service,
    arrivals,
    server,
    url: await listen(receiver),
    hangingUrl: await listen(hanging),
    async [Symbol.asyncDispose]() {
      await service.stop();
      for (const server of [receiver, hanging]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const subscribe = ({ service }: Setup, url: string) =>
  service.client.call('webhooks.create', {
    body: { url, events: ['definition.created'], secret: 'a secret for the bench' },
  });

let number = 0;
const define = ({ service, server }: Setup) =>
  service.client.call('definitions.create', {
    body: {
      species: 'static-site',
      instance_uid: `bench-${++number}`,
      server_id: server,
      inputs: { WEB_HOSTNAME: 'www.example.org' },
    },
  });

async function arrived(setup: Setup, count: number): Promise<void> {
  const until = performance.now() + 120_000;
  while (setup.arrivals.length < count) {
    if (performance.now() > until) throw new Error(`Only ${setup.arrivals.length} of ${count} deliveries arrived.`);
    await new Promise((done) => setTimeout(done, 1));
  }
}

/** Sends the same number of similar requests from this process. */
async function bareRate(setup: Setup): Promise<number> {
  const body = JSON.stringify({ id: 'evt', type: 'definition.created', data: { padding: 'x'.repeat(300) } });
  let left = DELIVERIES;
  const startedAt = performance.now();
  const sender = async () => {
    while (left-- > 0) {
      const response = await fetch(`${setup.url}/bare`, { method: 'POST', body });
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  const seconds = (performance.now() - startedAt) / 1_000;
  setup.arrivals.length = 0;
  return DELIVERIES / seconds;
}

async function deliveryRate(setup: Setup): Promise<number> {
  const made = await Promise.all(Array.from({ length: ENDPOINTS }, (_, i) => subscribe(setup, `${setup.url}/${i}`)));
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: DEFINITIONS }, () => define(setup)));
  await arrived(setup, DELIVERIES);
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const { data } of made) await setup.service.client.call('webhooks.delete', { params: { id: data.id } });
  setup.arrivals.length = 0;
  return DELIVERIES / seconds;
}

async function delaysWithAndWithout(setup: Setup): Promise<{ alone: number; beside: number }> {
  await subscribe(setup, `${setup.url}/probe`);
  await delay(setup);
  const alone = await delay(setup);
  await subscribe(setup, `${setup.hangingUrl}/`);
  return { alone, beside: await delay(setup) };
}

async function delay(setup: Setup): Promise<number> {
  const delays: number[] = [];
  for (let i = 0; i < PROBES; i++) {
    setup.arrivals.length = 0;
    await define(setup);
    const respondedAt = performance.now();
    await arrived(setup, 1);
    // The delivery may arrive before the answer is read; then the delay counts as 0.1 ms.
    delays.push(Math.max(0.1, (setup.arrivals[0]?.at ?? 0) - respondedAt));
  }
  return median(delays);
}
