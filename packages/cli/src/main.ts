#!/usr/bin/env node
import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodes } from './exit-codes.ts';
import { run } from './run.ts';
import { nodeInterrupts } from './world/node-interrupts.ts';
import { nodePrograms } from './world/node-programs.ts';
import { nodeTerminal } from './world/node-terminal.ts';
import { rawTerminal } from './world/raw-terminal.ts';

let farewell = '';
const leave = () => {
  process.stderr.write(`\n${farewell}`);
  process.exit(exitCodes.interrupted.code);
};
const interrupts = nodeInterrupts(process, leave);

process.exitCode = await run(process.argv.slice(2), {
  terminal: nodeTerminal(process, leave),
  rawTerminal: () => rawTerminal(process),
  programs: { ...nodePrograms, run: (...call) => interrupts.ignoredDuring(nodePrograms.run(...call)) },
  env: process.env,
  home: homedir(),
  now: () => Date.now(),
  pause: async (ms, signal) => {
    await sleep(ms, undefined, signal && { signal }).catch(() => {});
  },
  leaving: (words) => {
    farewell = `${words}\n`;
  },
  interrupted: interrupts.taken,
});
