import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type Bench, type Figure, median } from './claim.ts';
import { define, deploy, pause, type ServiceWithEngine, startServiceWithEngine, timed } from './service-with-engine.ts';

const FOLLOWERS = 500;
const ACTIONS = 30;
/** Two instances of 100 containers each. */
const QUIET = 2;
const SETTLING_MS = 20_000;
const WATCHED_MS = 30_000;

/** Measures 500 followers of one chatty container, and what collecting from 200 quiet ones costs. */
export const logsBench: Bench = {
  name: 'logs',
  run: async () => [...(await followers()), await quietContainers()],
};

async function followers(): Promise<Figure[]> {
  await using system = await startServiceWithEngine();
  const acting = await deployed(system, 'seed');
  const chatty = await deployed(system, 'chatty');
  for (let i = 0; i < 5; i++) await act(system, acting);
  const alone = await actionTimes(system, acting);
  const before = { service: system.service.memory(), daemon: residentOf(system.daemon.pid) };
  const sockets = Array.from({ length: FOLLOWERS }, () => follower(system, chatty));
  await pause(5_000);
  const beside = await actionTimes(system, acting);
  const after = { service: system.service.memory(), daemon: residentOf(system.daemon.pid) };
  // Half of them stop reading.
  for (const socket of sockets.slice(FOLLOWERS / 2)) socket.pause();
  await pause(10_000);
  const stalled = { service: system.service.memory(), daemon: residentOf(system.daemon.pid) };
  for (const socket of sockets) socket.destroy();
  const [ours, theirs] = [median(beside), median(alone)];
  return [
    {
      claim: `an action of another instance beside ${FOLLOWERS} followers of 5,000 lines/s`,
      value: ours,
      unit: 'ms',
      against: { name: 'ms without followers', value: theirs },
      ratio: ours / theirs,
      promise: { atMost: 1.5 },
    },
    memory(
      'memory of the service with these followers',
      before.service,
      Math.max(after.service, stalled.service),
      300e6,
    ),
    memory('memory of the daemon with these followers', before.daemon, Math.max(after.daemon, stalled.daemon), 100e6),
  ];
}

const memory = (claim: string, from: number, to: number, max: number): Figure => ({
  claim,
  value: (to - from) / 1e6,
  unit: 'MB more',
  against: { name: 'MB allowed', value: max / 1e6 },
  ratio: Math.max(0, to - from) / max,
  promise: { atMost: 1 },
  note: `${Math.round(from / 1e6)} MB before`,
});

async function quietContainers(): Promise<Figure> {
  const shares: number[] = [];
  for (const options of [['--logs-size', '0'], []]) {
    await using system = await startServiceWithEngine({ options });
    for (let i = 0; i < QUIET; i++) await deploy(system, await define(system, `quiet-${i}`, 'quiet'));
    await pause(SETTLING_MS);
    const before = cpuSeconds(system.daemon.pid);
    await pause(WATCHED_MS);
    shares.push(((cpuSeconds(system.daemon.pid) - before) / WATCHED_MS) * 100_000);
  }
  const [without = 0, collecting = 0] = shares;
  return {
    claim: 'collecting the output of 200 quiet containers',
    value: Math.max(0, collecting - without),
    unit: '% of a core more',
    against: { name: '% allowed', value: 1 },
    ratio: Math.max(0, collecting - without),
    promise: { atMost: 1 },
    note: `${without.toFixed(2)} % without collecting`,
  };
}

/** A follower that reads and drops everything. */
function follower({ service }: ServiceWithEngine, id: string): Socket {
  const { hostname, port } = new URL(service.root);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.on('data', () => {});
  const lines = [
    `GET /api/v1/instances/${id}/logs?tail=10 HTTP/1.1`,
    'Host: bench',
    'Accept: text/event-stream',
    `Authorization: Bearer ${service.key}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

export async function deployed(system: ServiceWithEngine, species: string): Promise<string> {
  const definition_id = await define(system, species, species);
  await deploy(system, definition_id);
  const [instance] = (await system.client.call('instances.list', { query: { definition_id } })).data;
  return instance?.id ?? '';
}

export async function actionTimes(system: ServiceWithEngine, id: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < ACTIONS; i++) times.push(await timed(() => act(system, id)));
  return times;
}

async function act({ client }: ServiceWithEngine, id: string): Promise<void> {
  const { execution } = await client.call('actions.execute', { params: { id, slug: 'nothing' }, body: { params: {} } });
  for (;;) {
    const { execution: now } = await client.call('actions.read', { params: { execution_id: execution.id } });
    if (now.status === 'completed') return;
    if (!['pending', 'sent', 'running'].includes(now.status)) throw new Error(`The action ended ${now.status}.`);
    await pause(5);
  }
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Reads fields 14 (user) and 15 (system) in hundredths of a second. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
