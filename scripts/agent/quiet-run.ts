import { spawn } from 'node:child_process';

/** Runs a command and prints its output only if it fails. */
export function run(
  argv: readonly [string, ...string[]],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  const [command, ...args] = argv;
  return new Promise((done, fail) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        said = (said + chunk).slice(-2_000);
      });
    }
    child.on('error', (error) => fail(new Error(`${command} cannot be run: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) done();
      else fail(new Error(`${argv.slice(0, 3).join(' ')} ended with ${code ?? signal}:\n${said.trim()}`));
    });
  });
}
