import { cp } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { endpointRows } from '@hortus/contract/endpoints';
import { writeCatalog } from '@hortus/service/testing/catalog-folder';
import { Dice } from '@hortus/service/testing/fuzz/dice';
import { fuzzRequest } from '@hortus/service/testing/fuzz/requests';
import { goodRequest } from '@hortus/service/testing/good-requests';
import { adminEmail, adminPassword, type Caller, publicUrl } from '@hortus/service/testing/running-service';
import { writeAgent } from '@hortus/testkit/agent-folder';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { type Bench, type Figure, median } from './claim.ts';
import { type HostileRequest, hostileRequests, sendHostile } from './hostile-requests.ts';
import { namedInputs, writeNamedSpecies } from './named-inputs.ts';
import { startProbe } from './probe.ts';
import { startService } from './service-process.ts';

/** Longest time that a request may block the event loop. */
const MAX_TURN_MS = 50;
const IDLE_MS = 3_000;
const ATTACK_MS = 6_000;
const OF_ONE_ROW = 2;
const PROBE_MS = 5;

type Service = Awaited<ReturnType<typeof startService>>;

/** Measures how long a hostile request blocks the event loop, and the latency of health meanwhile. */
export const eventLoop: Bench = {
  name: 'event-loop',
  async run(repetitions, only) {
    if (only !== undefined) return await besideNamedInputs(repetitions, only);
    return [await longestTurn(), ...(await besideNamedInputs(repetitions)), ...(await healthUnderAttack(repetitions))];
  },
};

interface Held {
  readonly name: string;
  readonly turnMs: number;
  readonly collectionMs: number;
}

/** Measures each request alone and on first use, so that its compilation counts too. */
async function longestTurn(): Promise<Figure> {
  await using folder = temporaryFolder('turns');
  const socket = join(folder.path, 'turns');
  const service = await startService({
    env: { BENCH_TURNS_SOCKET: socket, ...(await settingsOfGoodRequests(folder.path)) },
    nodeArgs: ['--import', new URL('./turn-probe.ts', import.meta.url).href],
    cores: '0,1',
  });
  try {
    await measured(socket, 'start');
    const held: Held[] = [];
    for (const hostile of hostileRequests) {
      await sendHostile(service, hostile);
      held.push(await measured(socket, hostile.name));
    }
    const { account } = (await service.client.call('account.read', {})).data;
    const caller = callerOf(service, account.id);
    for (const hostile of await requestsAboutRecords(caller)) {
      await sendHostile(service, hostile);
      held.push(await measured(socket, hostile.name));
    }
    held.push(...(await heldByFuzz(caller, socket)));
    const worst = held.sort((a, b) => b.turnMs - a.turnMs).slice(0, 5);
    for (const { name, turnMs } of worst) console.error(`  ${turnMs.toFixed(1)} ms  ${name}`);
    const value = worst[0]?.turnMs ?? Number.NaN;
    const collection = Math.max(...held.map(({ collectionMs }) => collectionMs));
    return {
      claim: 'longest turn of the event loop, any request',
      value,
      unit: 'ms',
      against: { name: 'ms allowed', value: MAX_TURN_MS },
      ratio: value / MAX_TURN_MS,
      promise: { atMost: 1 },
      note: `${held.length} requests; ${worst[0]?.name}; longest garbage collection ${collection.toFixed(0)} ms`,
    };
  } finally {
    await service.stop();
  }
}

/** Returns the settings that the valid requests of the service's tests need: catalog, agents and sign-in. */
async function settingsOfGoodRequests(folder: string): Promise<Record<string, string>> {
  const catalog = join(folder, 'catalog');
  await cp(new URL('../catalog', import.meta.url), catalog, { recursive: true });
  return {
    HORTUS_CATALOG_DIR: await writeCatalog(catalog),
    HORTUS_AGENTS_DIR: await writeAgent(join(folder, 'agents')),
    HORTUS_PUBLIC_URL: publicUrl,
    HORTUS_ADMIN_EMAIL: adminEmail,
    HORTUS_ADMIN_PASSWORD: adminPassword,
    HORTUS_WEBHOOK_ALLOW_PRIVATE: 'true',
  };
}

/** Hostile requests about a deployment that exists: those about unknown ids are refused before they write anything. */
async function requestsAboutRecords(caller: Caller): Promise<HostileRequest[]> {
  const aReport = async (name: string, logs: readonly object[]): Promise<HostileRequest> => {
    const { params } = await goodRequest('deployments.status', caller);
    const body = JSON.stringify({ deployment_id: params.id, status: 'failed', logs });
    return { name, method: 'POST', path: '/deploy/report', body };
  };
  const lines = (count: number, length: number) =>
    Array.from({ length: count }, () => ({ at: 1, level: 'info', message: 'x'.repeat(length), step: 'y' }));
  const { path, body } = await goodRequest('definitions.import', caller);
  const secret = (_: unknown, i: number) => ({ name: `s${i}`, kind: 'generated', value: 'x'.repeat(65_000) });
  const secrets = Array.from({ length: 120 }, secret);
  const bundle = { ...(body?.bundle as object), secrets };
  return [
    await aReport('10,000 lines of a deployment', lines(10_000, 20)),
    await aReport('7 MB in 10,000 lines of a deployment', lines(10_000, 650)),
    {
      name: 'an import of 7.8 MB with an Idempotency-Key',
      method: 'POST',
      path,
      body: JSON.stringify({ ...body, bundle }),
      headers: { 'idempotency-key': 'bench' },
    },
  ];
}

/** Requests of the fuzzer: several for every endpoint. */
async function heldByFuzz(caller: Caller, socket: string): Promise<Held[]> {
  const dice = new Dice(14);
  const held: Held[] = [];
  const skipped: string[] = [];
  for (const [name] of endpointRows) {
    const good = await goodRequest(name, caller).catch((error: unknown) => {
      skipped.push(`${name} (${error instanceof Error ? error.message : error})`);
    });
    if (!good) continue;
    await measured(socket, name);
    for (let i = 0; i < OF_ONE_ROW; i++) {
      const { method, path, options } = fuzzRequest(name, good, dice, []);
      await caller.request(method, path, options);
      held.push(await measured(socket, name));
    }
  }
  if (skipped.length > 0) console.error(`  ${skipped.length} rows without a request: ${skipped.join('; ')}`);
  return held;
}

/** What the good requests of the service's tests need of a caller. */
const callerOf = (service: Service, accountId: string): Caller => ({
  base: service.base,
  accountId,
  key: service.key,
  client: service.client,
  async request(method, path, { body, raw, key, headers } = {}) {
    const sent = { name: path, method, path, body: raw ?? JSON.stringify(body) ?? '' };
    return sendHostile(service, { ...sent, ...(headers && { headers }), ...(key === null && { anonymous: true }) });
  },
  firstLink: () => Promise.reject(new Error('has no link of a first start')),
  introduceDaemon: () => Promise.reject(new Error('has no daemon')),
  haltUpdate: () => Promise.reject(new Error('has no daemon')),
  async handOver(id) {
    const database = new DatabaseSync(join(service.folder, 'hortus.db'), { timeout: 5_000 });
    database.prepare(`update executions set status = 'sent' where id = ?`).run(id);
    database.close();
  },
});

/** Measures the worst latency of health beside one of each input, after its first use, which compiles code. */
async function besideNamedInputs(repetitions: number, only = ''): Promise<Figure[]> {
  await using folder = temporaryFolder('named');
  const catalog = writeNamedSpecies(folder.path);
  const socket = join(folder.path, 'turns');
  const service = await startService({
    env: { BENCH_TURNS_SOCKET: socket, HORTUS_CATALOG_DIR: catalog },
    nodeArgs: ['--import', new URL('./turn-probe.ts', import.meta.url).href],
    cores: '0,1',
  });
  try {
    const figures: Figure[] = [];
    for (const { name, prepare } of namedInputs.filter((input) => input.name.includes(only))) {
      await (await prepare(service))();
      const latencies: number[] = [];
      const turns: number[] = [];
      for (let i = 0; i < repetitions; i++) {
        const send = await prepare(service);
        await measured(socket, name);
        const probe = startProbe(`${service.base}/health`, service.headers, PROBE_MS);
        // One answer before and one after.
        await pause(4 * PROBE_MS);
        await send();
        await pause(4 * PROBE_MS);
        latencies.push((await probe.stop()).worst);
        turns.push((await measured(socket, name)).turnMs);
      }
      const value = median(latencies);
      figures.push({
        claim: `health beside ${name}`,
        value,
        unit: 'ms at worst',
        against: { name: 'ms allowed', value: MAX_TURN_MS },
        ratio: value / MAX_TURN_MS,
        promise: { atMost: 1 },
        note: `${median(turns).toFixed(1)} ms of processor time in the longest turn`,
      });
    }
    return figures;
  } finally {
    await service.stop();
  }
}

/**
 * Compares the attacked service with an idle one that is asked at the same moments. On a machine of two cores the probe, the
 * attackers and the service's own threads wait for each other; the idle service waits in the same way, so that the ratio shows
 * what the attack does to the service.
 */
async function healthUnderAttack(repetitions: number): Promise<Figure[]> {
  const alone: number[] = [];
  const attacked: Record<'target' | 'idle', number>[] = [];
  const target = await startService({ cores: '0,1' });
  const idle = await startService({ cores: '0,1' });
  try {
    // Runs each attack once before, because start-up and compilation are not part of a flood.
    for (const hostile of hostileRequests) await sendHostile(target, hostile);
    for (let i = 0; i < repetitions; i++) {
      const probe = healthProbe(target);
      await pause(IDLE_MS);
      alone.push((await probe.stop()).p99);
    }
    for (let i = 0; i < repetitions; i++) attacked.push(await healthUnderFlood(target, idle));
  } finally {
    await target.stop();
    await idle.stop();
  }
  const value = median(attacked.map(({ target }) => target));
  const beside = median(attacked.map(({ idle }) => idle));
  const before = median(alone);
  return [
    {
      claim: 'health p99 under 44 hostile requests',
      value,
      unit: 'ms',
      against: { name: 'ms of an idle service meanwhile', value: beside },
      ratio: value / beside,
      promise: { atMost: 3 },
      note: `${(value / before).toFixed(1)} of ${before.toFixed(1)} ms before the attack`,
    },
  ];
}

const healthProbe = ({ base, headers }: Pick<Service, 'base' | 'headers'>) => startProbe(`${base}/health`, headers, 20);

/** Attackers have machines of their own: these run only when no other process needs a core. */
async function healthUnderFlood(target: Service, idle: Service): Promise<Record<'target' | 'idle', number>> {
  await using attackers = startProcess([
    'chrt',
    '--idle',
    '0',
    process.execPath,
    'bench/attackers.ts',
    target.base,
    target.key,
    String(ATTACK_MS),
  ]);
  await attackers.waitForLine('attacking');
  const probes = { target: healthProbe(target), idle: healthProbe(idle) };
  await attackers.waitForLine(/answers/);
  return { target: (await probes.target.stop()).p99, idle: (await probes.idle.stop()).p99 };
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

async function measured(socket: string, name: string): Promise<Held> {
  // The turn ends after its answer was read here.
  await pause(5);
  return { name, ...JSON.parse(await text(connect(socket))) };
}
