/** Below this, the clock and the collector decide. */
const MIN_MS = 20;
/** Everything that disturbs a measurement makes it longer, so that the shortest of several is the best. */
const MEASUREMENTS = 3;

/**
 * Returns how many times the processor time of an input of length 4n is that of length n: 4 if the work is linear, 16 if it is
 * quadratic. Processor time does not depend on what else the machine does.
 */
export function growth(run: (length: number) => unknown, n: number): number {
  let repetitions = 1;
  while (cost(run, n, repetitions) < MIN_MS) repetitions *= 2;
  const shortest = (length: number) =>
    Math.min(...Array.from({ length: MEASUREMENTS }, () => cost(run, length, repetitions)));
  return shortest(4 * n) / shortest(n);
}

function cost(run: (length: number) => unknown, n: number, repetitions: number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < repetitions; i++) run(n);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
