import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

/** Sends the reports of many daemons, each every half minute with ten instances, as hortusd does. Prints a summary at SIGUSR2. */
const [base = '', file = ''] = process.argv.slice(2);

interface Daemon {
  readonly id: string;
  readonly key: string;
  readonly uids: readonly string[];
}

const EVERY_MS = 30_000;
const daemons = JSON.parse(readFileSync(file, 'utf8')) as readonly Daemon[];
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const { hostname, port, pathname } = new URL(base);
const times: number[] = [];
let open = 0;
let maxOpen = 0;
let failed = 0;
let summaries = 0;

function call(method: string, path: string, key: string, body: object): void {
  const text = JSON.stringify(body);
  const begun = performance.now();
  maxOpen = Math.max(maxOpen, ++open);
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  };
  const ended = (ok: boolean) => {
    open--;
    if (ok) times.push(performance.now() - begun);
    else failed++;
  };
  request({ agent, hostname, port, method, path: `${pathname}${path}`, headers }, (response) => {
    response.resume().on('end', () => ended(response.statusCode === 200));
  })
    .on('error', () => ended(false))
    .end(text);
}

function report({ id, key, uids }: Daemon): void {
  const load = Math.random() * 100;
  const usage = uids.map((instance_uid) => ({
    instance_uid,
    component: 'app',
    cpu_percent: load,
    memory_bytes: 1e8 + load,
    received_bytes_per_second: load,
    sent_bytes_per_second: load,
    read_bytes_per_second: load,
    written_bytes_per_second: load,
  }));
  call('PUT', `/server-capacity/${id}`, key, {
    memory: { used: 2e9, free: 6e9 },
    cpu: { cores: 4, used_percent: load },
    disk: { used: 5e10, free: 15e10 },
    usage,
  });
  const instances = uids.map((instance_uid) => ({ instance_uid, status: 'running', health: 'healthy' }));
  call('POST', '/instances/report', key, { instances });
}

process.on('SIGUSR2', () => {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(times.length * share) - 1] ?? 0;
  console.log(
    `summary ${++summaries} ${JSON.stringify({ responded: times.length, failed, open, maxOpen, p50: at(0.5), p99: at(0.99) })}`,
  );
  times.length = 0;
  maxOpen = open;
});

const begun = performance.now();
let sent = 0;
setInterval(() => {
  const due = ((performance.now() - begun) / EVERY_MS) * daemons.length;
  for (; sent < due; sent++) report(daemons[sent % daemons.length] as Daemon);
}, 10);
console.log('reporting');
