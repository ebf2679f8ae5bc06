/** Below this, the clock and the collector decide. */
const MIN_MS = 20;

/**
 * Returns how many times the processor time of an input of length 4n is that of length n: 4 if the work is linear, 16 if it is
 * quadratic. Processor time does not depend on what else the machine does.
 */
export function growth(run: (length: number) => unknown, n: number): number {
  let repetitions = 1;
  while (cost(run, n, repetitions) < MIN_MS) repetitions *= 2;
  return cost(run, 4 * n, repetitions) / cost(run, n, repetitions);
}

function cost(run: (length: number) => unknown, n: number, repetitions: number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < repetitions; i++) run(n);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
