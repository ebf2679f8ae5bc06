import { execFileSync, spawn } from 'node:child_process';
import { cliMain } from './programs.ts';
import { until } from './until.ts';

/** Quotes a word for the shell that `script` starts. */
const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** `hortus` in a pseudo-terminal, as a person uses it. */
export const hortusInTerminal = (argv: readonly string[], env: Record<string, string>, size?: Size) =>
  runInTerminal([process.execPath, cliMain, ...argv], env, size);

interface Size {
  readonly rows: number;
  readonly cols: number;
}

/** Runs a program in a pseudo-terminal of util-linux. */
export function runInTerminal(
  argv: readonly string[],
  env: Record<string, string>,
  size: Size = { rows: 24, cols: 80 },
) {
  const command = argv.map(quoted).join(' ');
  // The state of the terminal before and after must be the same.
  const line = `stty rows ${size.rows} cols ${size.cols}; echo "at $(tty) $(stty -g)."; ${command}; code=$?; echo "left $(stty -g)."; exit $code`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm', SHELL: '/bin/sh', ...env },
    timeout: 200_000,
    killSignal: 'SIGKILL',
  });
  let shown = Buffer.alloc(0);
  child.stdout.on('data', (data: Buffer) => {
    shown = Buffer.concat([shown, data]);
  });
  const code = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  const text = () => shown.toString();
  const shows = async (wanted: string | RegExp, describe = String(wanted)) => {
    const found = () => (typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text()));
    await until(found, { describe: () => `${describe} in ${JSON.stringify(text().slice(-1_500))}`, within: 90_000 });
  };
  return {
    code,
    text,
    shows,
    type: (keys: string | Buffer) => void child.stdin.write(keys),
    async resize(rows: number, cols: number) {
      await shows(/^at \S+ /m, 'the name of the terminal');
      const [, tty = ''] = /^at (\S+) /m.exec(text()) ?? [];
      execFileSync('stty', ['-F', tty, 'rows', String(rows), 'cols', String(cols)]);
    },
    /** States of the terminal before and after. */
    states: () => [/^at \S+ (\S+)\./m.exec(text())?.[1], /^left (\S+)\./m.exec(text())?.[1]],
    /** Closes the terminal as a person who closes the window does. */
    close: () => void child.kill('SIGKILL'),
  };
}

/** `hortus` in a script: with pipes. */
export function hortusInScript(argv: readonly string[], env: Record<string, string>) {
  return spawn(process.execPath, [cliMain, ...argv], {
    env: { PATH: process.env.PATH ?? '', ...env },
    timeout: 200_000,
    killSignal: 'SIGKILL',
  });
}
