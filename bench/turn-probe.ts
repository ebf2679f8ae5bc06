import { createServer } from 'node:net';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Measures event loop turns of the process that imports it (`node --import`). A turn runs between two poll phases; its cost is the
 * CPU time of the main thread, so waiting for a disk or a core does not count. Garbage collection is reported separately. Each
 * connection to the socket receives the longest turn since the previous one.
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
  const sample = () => {
    const now = process.threadCpuUsage();
    const endedAt = performance.now();
    const cpuMs = (now.user + now.system - before.user - before.system) / 1_000;
    before = now;
    if (cpuMs > 1) keep({ cpuMs, wallMs: endedAt - begun, endedAt });
    begun = endedAt;
    // Unreferenced, so that it does not keep the loop alive.
    setImmediate(sample).unref();
  };
  sample();
  createServer((socket) => socket.end(JSON.stringify(report())))
    .listen(socketPath)
    .unref();
}

function keep(turn: Turn): void {
  longest.push(turn);
  if (longest.length > KEPT * 2) longest = longest.sort((a, b) => b.cpuMs - a.cpuMs).slice(0, KEPT);
}

/** The longest turn without garbage collection, and the longest collection. */
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
