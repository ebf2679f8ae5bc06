#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Halves the start-up time. Uses the user's own folder, because a shared one could contain foreign code.
enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hortus'));
const [{ exitCodes }, { nodeTerminal }, { rawTerminal }, { run }] = await Promise.all([
  import('./exit-codes.ts'),
  import('./node-terminal.ts'),
  import('./raw-terminal.ts'),
  import('./run.ts'),
]);

let farewell = '';
const leave = () => {
  process.stderr.write(`\n${farewell}`);
  process.exit(exitCodes.interrupted.code);
};
process.on('SIGINT', leave);

process.exitCode = await run(process.argv.slice(2), {
  terminal: nodeTerminal(process, leave),
  rawTerminal: () => rawTerminal(process),
  env: process.env,
  home: homedir(),
  now: () => Date.now(),
  pause: async (ms, signal) => {
    await sleep(ms, undefined, signal && { signal }).catch(() => {});
  },
  leaving: (words) => {
    farewell = `${words}\n`;
  },
});
