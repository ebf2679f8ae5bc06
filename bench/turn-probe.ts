import { createServer } from 'node:net';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Measures the turns of the event loop of the process that it is imported into (`node --import`). A turn is what runs between
 * two visits to the poll phase; its cost is the processor time of the main thread, so that waiting for a disk or for a core
 * does not count. Garbage collection is reported apart. Each connection to the socket gets the longest turn since the last one.
 */
interface Turn {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly endedAt: number;
}

const KEPT = 50;
let longest: Turn[] = [];
let collections: { readonly from: number; readonly ms: number }[] = [];

if (isMainThread && process.env.BENCH_TURNS_SOCKET) watch(process.env.BENCH_TURNS_SOCKET);

function watch(socketPath: string): void {
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ from: startTime, ms: duration });
  }).observe({ entryTypes: ['gc'] });
  let before = process.threadCpuUsage();
  let begun = performance.now();
  const look = () => {
    const now = process.threadCpuUsage();
    const endedAt = performance.now();
    const cpuMs = (now.user + now.system - before.user - before.system) / 1_000;
    before = now;
    if (cpuMs > 1) keep({ cpuMs, wallMs: endedAt - begun, endedAt });
    begun = endedAt;
    // Without a reference it keeps nothing awake: it runs whenever the loop has turned by itself.
    setImmediate(look).unref();
  };
  look();
  createServer((socket) => socket.end(JSON.stringify(report())))
    .listen(socketPath)
    .unref();
}

function keep(turn: Turn): void {
  longest.push(turn);
  if (longest.length > KEPT * 2) longest = longest.sort((a, b) => b.cpuMs - a.cpuMs).slice(0, KEPT);
}

/** The longest turn without its collections, and the longest collection. */
function report(): { readonly turnMs: number; readonly collectionMs: number } {
  const turns = longest.map(({ cpuMs, wallMs, endedAt }) => {
    const within = collections.filter(({ from }) => from >= endedAt - wallMs && from <= endedAt);
    return cpuMs - within.reduce((sum, { ms }) => sum + ms, 0);
  });
  const turnMs = Math.max(0, ...turns);
  const collectionMs = Math.max(0, ...collections.map(({ ms }) => ms));
  longest = [];
  collections = [];
  return { turnMs, collectionMs };
}
