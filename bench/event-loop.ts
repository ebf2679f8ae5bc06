import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { endpointRows } from '@hortus/contract/endpoints';
import { Dice } from '@hortus/service/testing/fuzz/dice';
import { fuzzRequest } from '@hortus/service/testing/fuzz/requests';
import { goodRequest } from '@hortus/service/testing/good-requests';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { type Bench, type Figure, median } from './claim.ts';
import { type HostileRequest, hostileRequests } from './hostile-requests.ts';
import { startProbe } from './probe.ts';
import { startService } from './service-process.ts';

/** No request may hold the event loop for longer. */
const LONGEST_TURN_MS = 50;
const AT_ONCE = 44;
const IDLE_MS = 3_000;
const ATTACK_MS = 6_000;
const OF_ONE_ROW = 2;

type Service = Awaited<ReturnType<typeof startService>>;

/** What hostile requests do to all others: how long one of them holds the event loop, and what health costs meanwhile. */
export const eventLoop: Bench = {
  name: 'event-loop',
  async run(repetitions) {
    return [await longestTurn(), ...(await healthUnderAttack(repetitions))];
  },
};

interface Held {
  readonly name: string;
  readonly turnMs: number;
  readonly collectionMs: number;
}

/** Every request by itself, the first of its kind in the life of the process: what is compiled then counts too. */
async function longestTurn(): Promise<Figure> {
  await using folder = temporaryFolder('turns');
  const socket = join(folder.path, 'turns');
  const service = await startService({
    env: { BENCH_TURNS_SOCKET: socket },
    nodeArgs: ['--import', new URL('./turn-probe.ts', import.meta.url).href],
    cores: '0,1',
  });
  try {
    await measured(socket, 'start');
    const held: Held[] = [];
    for (const hostile of hostileRequests) {
      await send(service, hostile);
      held.push(await measured(socket, hostile.name));
    }
    held.push(...(await heldByFuzz(service, socket)));
    const worst = held.sort((a, b) => b.turnMs - a.turnMs).slice(0, 5);
    for (const { name, turnMs } of worst) console.error(`  ${turnMs.toFixed(1)} ms  ${name}`);
    const value = worst[0]?.turnMs ?? Number.NaN;
    const collection = Math.max(...held.map(({ collectionMs }) => collectionMs));
    return {
      claim: 'longest turn of the event loop, any request',
      value,
      unit: 'ms',
      against: { name: 'ms allowed', value: LONGEST_TURN_MS },
      ratio: value / LONGEST_TURN_MS,
      promise: { atMost: 1 },
      note: `${held.length} requests; ${worst[0]?.name}; longest garbage collection ${collection.toFixed(0)} ms`,
    };
  } finally {
    await service.stop();
  }
}

/** The corpus of the fuzzer: some requests of every row of the contract. */
async function heldByFuzz(service: Service, socket: string): Promise<Held[]> {
  const dice = new Dice(14);
  const held: Held[] = [];
  const caller = {
    key: service.key,
    client: service.client,
    request: (method: string, path: string, options: { body?: unknown; raw?: string } = {}) =>
      send(service, { name: path, method, path, body: options.raw ?? JSON.stringify(options.body) ?? '' }),
  };
  for (const [name] of endpointRows) {
    // Some need what only a test inside of the process can make; those rows are asked by the fuzzer alone.
    const good = await goodRequest(name, caller as never).catch(() => undefined);
    if (!good) continue;
    await measured(socket, name);
    for (let i = 0; i < OF_ONE_ROW; i++) {
      const { method, path, options } = fuzzRequest(name, good, dice, []);
      await send(service, { name, method, path, body: options.raw ?? JSON.stringify(options.body) ?? '' });
      held.push(await measured(socket, name));
    }
  }
  return held;
}

async function healthUnderAttack(repetitions: number): Promise<Figure[]> {
  const idle: number[] = [];
  const attacked: number[] = [];
  const service = await startService({ cores: '0,1' });
  try {
    // Each attack once: what is started and compiled for it is not what a flood costs.
    for (const hostile of hostileRequests) await send(service, hostile);
    for (let i = 0; i < repetitions; i++) {
      idle.push(await healthP99(service, () => pause(IDLE_MS)));
      attacked.push(await healthP99(service, () => flood(service)));
    }
  } finally {
    await service.stop();
  }
  const [value, against] = [median(attacked), median(idle)];
  const promise = { atMost: 3 };
  const ratio = value / against;
  return [
    {
      claim: `health p99 under ${AT_ONCE} hostile requests`,
      value,
      unit: 'ms',
      against: { name: 'ms idle', value: against },
      ratio,
      promise,
    },
  ];
}

async function healthP99({ base, headers }: Service, meanwhile: () => Promise<void>): Promise<number> {
  const probe = startProbe(`${base}/health`, headers, 20);
  await meanwhile();
  return (await probe.stop()).p99;
}

/** Always 44 under way, each attack in turn. */
async function flood(service: Service): Promise<void> {
  const end = performance.now() + ATTACK_MS;
  let next = 0;
  const one = async () => {
    while (performance.now() < end) {
      const hostile = hostileRequests[next++ % hostileRequests.length] as HostileRequest;
      await send(service, hostile).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

async function measured(socket: string, name: string): Promise<Held> {
  // The turn that answered ends after its answer was read here.
  await pause(5);
  return { name, ...JSON.parse(await text(connect(socket))) };
}

/** Without `fetch`, which parses the answer of a flood on the event loop of the bench. */
function send(service: Service, { method, path, body, anonymous }: HostileRequest) {
  const url = new URL(`${service.base}${path}`);
  const headers = {
    ...(!anonymous && service.headers),
    ...(body !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise<{ status: number; json: unknown }>((done, fail) => {
    const asked = request(url, { method, headers }, async (answer) => {
      const answered = await text(answer).catch(() => '');
      const status = answer.statusCode ?? 0;
      if (status >= 500)
        fail(new Error(`${method} ${path.slice(0, 80)} answered ${status}: ${answered.slice(0, 300)}`));
      else done({ status, json: answered.startsWith('{') ? JSON.parse(answered) : null });
    });
    asked.on('error', fail);
    asked.end(body);
  });
}
