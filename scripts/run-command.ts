import { spawn } from 'node:child_process';
import { endingWithParent } from '@hortus/testkit/orphan';

export type Run = (
  argv: readonly string[],
  options?: { env?: Record<string, string>; quiet?: boolean },
) => Promise<number>;

/**
 * Runs commands in sequence in `root` and resolves with their exit codes (1 if a command cannot start or dies of a signal). When
 * `interrupted` aborts, it stops the running command and starts no further one.
 */
export function commandRunner(root: string, interrupted: AbortSignal): Run {
  return (argv, { env = {}, quiet = false } = {}) =>
    new Promise((done) => {
      if (interrupted.aborted) return done(1);
      const [command, ...args] = endingWithParent(argv, 'SIGTERM') as [string, ...string[]];
      const child = spawn(command, args, {
        cwd: root,
        env: { ...process.env, ...env },
        // Output of a quiet command goes to stderr; stdout is for results.
        stdio: ['ignore', quiet ? process.stderr : 'inherit', 'inherit'],
      });
      const end = () => child.kill('SIGTERM');
      interrupted.addEventListener('abort', end, { once: true });
      child.on('error', (error) => {
        console.error(`${argv.join(' ')}: ${error.message}`);
        done(1);
      });
      child.on('close', (code) => {
        interrupted.removeEventListener('abort', end);
        done(code ?? 1);
      });
    });
}
