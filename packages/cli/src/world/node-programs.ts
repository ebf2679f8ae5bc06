import { spawn } from 'node:child_process';
import type { Programs } from './world.ts';

/** Runs programs of the user's machine, without a shell. */
export const nodePrograms: Programs = {
  start: (program, args) =>
    new Promise((done) => {
      const child = spawn(program, args, { stdio: 'ignore', detached: true });
      child.once('error', () => done(false));
      child.once('spawn', () => {
        child.unref();
        done(true);
      });
    }),
  run: (program, args) =>
    new Promise((done) => {
      const child = spawn(program, args, { stdio: 'inherit' });
      child.once('error', () => done(undefined));
      child.once('exit', (code) => done(code ?? 1));
    }),
};
