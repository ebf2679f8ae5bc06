import { openLoop } from './group-commit-loop.ts';

/** The limit without HTTP: 32 callers in the process itself. Prints transactions per second. */
const [directory = '', seconds = '4'] = process.argv.slice(2);
const insert = await openLoop(directory);
const startedAt = performance.now();
const until = startedAt + Number(seconds) * 1000;
let written = 0;
const callers = Array.from({ length: 32 }, async () => {
  while (performance.now() < until) await insert(++written);
});
await Promise.all(callers);
console.log(`result ${written / ((performance.now() - startedAt) / 1000)}`);
