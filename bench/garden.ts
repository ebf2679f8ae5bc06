import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { type Bench, type Figure, median } from './claim.ts';
import { startService } from './service-process.ts';

const run = promisify(execFile);
/** What a user runs. */
const hortus = join(import.meta.dirname, '../packages/cli/bin/hortus.mjs');
const DEFINITIONS = 500;
const AT_ONCE = 16;
const MAX_MS = 2_000;
const MAX_REQUESTS = 50;

/** Measures `hortus apply` of an unchanged garden of 500 definitions: its time as a process, and its requests. */
export const gardenBench: Bench = {
  name: 'garden',
  async run(repetitions) {
    await using folder = temporaryFolder('bench');
    const service = await startService();
    try {
      const file = join(folder.path, 'garden.yaml');
      writeFileSync(file, JSON.stringify(await grown(service)));
      const counted = await countingProxy(service.base);
      const times: number[] = [];
      let requests = 0;
      for (let round = 0; round < repetitions * 3; round++) {
        const before = counted.requests;
        const began = performance.now();
        const env = { ...process.env, HORTUS_URL: counted.base, HORTUS_KEY: service.key, HOME: folder.path };
        const { stdout } = await run(process.execPath, [hortus, 'apply', '-f', file, '--yes', '--wait'], { env });
        times.push(performance.now() - began);
        requests = Math.max(requests, counted.requests - before);
        if (!stdout.includes(`${DEFINITIONS} unchanged`)) throw new Error(`The garden has changes: ${stdout}`);
      }
      counted.close();
      return figures(median(times), requests);
    } finally {
      await service.stop();
    }
  },
};

const figures = (ms: number, requests: number): Figure[] => [
  {
    claim: `hortus apply of an unchanged garden of ${DEFINITIONS} definitions`,
    value: ms,
    unit: 'ms',
    against: { name: 'ms allowed', value: MAX_MS },
    ratio: ms / MAX_MS,
    promise: { atMost: 1 },
  },
  {
    claim: 'its requests',
    value: requests,
    unit: 'requests',
    against: { name: 'allowed', value: MAX_REQUESTS },
    ratio: requests / MAX_REQUESTS,
    promise: { atMost: 1 },
  },
];

type Service = Awaited<ReturnType<typeof startService>>;

/** Creates the definitions and reports their deployments as successful, then returns the garden that describes them. */
async function grown({ client }: Service) {
  const { data: server } = await client.call('servers.register', { body: { name: 'web', environment: 'production' } });
  const numbers = Array.from({ length: DEFINITIONS }, (_, number) => number);
  const inputsOf = (number: number) => ({ WEB_HOSTNAME: `site-${number}.example.org`, PAGE_TITLE: `Site ${number}` });
  const create = async (number: number) => {
    const body = {
      ...{ species: 'static-site', instance_uid: `site-${number}`, server_id: server.id },
      inputs: inputsOf(number),
    };
    const { id } = (await client.call('definitions.create', { body })).data;
    const deployment = (await client.call('deployments.execute', { body: { definition_id: id } })).data;
    await client.call('deployments.status', { params: { id: deployment.id }, body: { status: 'success' } });
  };
  for (let from = 0; from < DEFINITIONS; from += AT_ONCE)
    await Promise.all(numbers.slice(from, from + AT_ONCE).map(create));
  const definitions = numbers.map((number) => [
    `site-${number}`,
    { species: 'static-site', server: 'web', inputs: inputsOf(number) },
  ]);
  return { name: 'home', definitions: Object.fromEntries(definitions) };
}

/** Passes requests on to the service and counts them. */
async function countingProxy(base: string) {
  const target = new URL(base);
  const counted = { requests: 0 };
  const server = createServer((incoming, reply) => {
    counted.requests += 1;
    const { method, url, headers } = incoming;
    const outgoing = request({ host: target.hostname, port: target.port, method, path: url, headers }, (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(reply);
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    get requests() {
      return counted.requests;
    },
    base: `http://127.0.0.1:${port}${target.pathname}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
