import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { BrokenArchive } from './tar-check.ts';
import { tarCommand, tarEnvironment } from './tar-command.ts';

/** What to pack or unpack. */
export interface Packing {
  folder: string;
  /** How an error names what is packed: `volume blog-data`. */
  what: string;
  /** First path segment in the archive; the engine's archives use the same. */
  name: string;
  signal?: AbortSignal | undefined;
}

/** Extended attributes to keep: file capabilities, as the engine does, and those set by users. */
const attributes = ['--xattrs', '--xattrs-include=security.capability', '--xattrs-include=user.*'];

async function startTar(args: readonly string[], signal: AbortSignal | undefined) {
  const [program = '', ...before] = (await tarCommand()) ?? [];
  if (program === '') throw new Error('GNU tar cannot be run without the capability to create devices.');
  return spawn(program, [...before, ...args], { env: tarEnvironment, signal, killSignal: 'SIGKILL' });
}

export interface Packed {
  readonly content: Readable;
  /** Rejects at the end of the content if something could not be read. */
  readonly proof: () => Promise<void>;
}

/** Archives a folder in the same form as the engine. */
export async function packFolder({ folder, what, name, signal }: Packing): Promise<Packed> {
  const packing = await startTar(
    [
      // Large records: the default of 10 KB per read and write is slow.
      ...['--create', '--file=-', '--blocking-factor=128', '--sort=name', '--numeric-owner', ...attributes],
      // Omit times that would differ between two archives of the same content.
      ...['--format=posix', '--pax-option=exthdr.name=%d/%f,delete=atime,delete=ctime,delete=mtime'],
      // `S`: do not rewrite targets of symbolic links.
      ...[`--transform=s,^\\.,${name},S`, '--directory', folder, '.'],
    ],
    signal,
  );
  packing.stdin.end();
  const ended = endOf(packing);
  // Kill tar if its output is not read to the end. Otherwise it exits by itself, and its exit code is the result.
  const closed = () => {
    if (!packing.stdout.readableEnded) packing.kill('SIGKILL');
  };
  packing.stdout.on(
    'close',
    guardedBy(() => undefined, closed),
  );
  const proof = async () => {
    const { code, said } = await ended;
    // Exit code 1: a file changed while it was read. That is accepted unless a file shrank, because tar pads it with
    // zeros.
    const isWhole = code === 0 || (code === 1 && !/ shrank by /.test(said));
    if (!isWhole) throw new BrokenArchive(`The archive of ${what} is incomplete: ${lastLine(said, code)}.`);
  };
  return { content: packing.stdout, proof };
}

/** Unpacks an archive of either origin into a folder and keeps other files there. */
export async function unpackInto({ folder, what, name, signal }: Packing, content: Readable): Promise<void> {
  const unpacking = await startTar(
    [
      ...[
        '--extract',
        '--file=-',
        '--blocking-factor=128',
        '--numeric-owner',
        '--same-owner',
        '--preserve-permissions',
        ...attributes,
      ],
      // Replaces files only; existing folders get the archive's attributes and keep their content.
      ...['--delay-directory-restore', `--transform=s,^${name},.,S`, '--directory', folder],
    ],
    signal,
  );
  unpacking.stdout.resume();
  const ended = endOf(unpacking);
  let end: End | undefined;
  ended.then(
    (known) => {
      end = known;
    },
    () => undefined,
  );
  // tar may exit before the padding at the end of the archive; keep reading up to the proof of completeness.
  unpacking.stdin.on('error', () => undefined);
  try {
    for await (const piece of content as AsyncIterable<Buffer>) {
      if (end && end.code !== 0) break;
      await new Promise<void>((done) => unpacking.stdin.write(piece, () => done()));
    }
    unpacking.stdin.end();
  } catch (error) {
    unpacking.kill('SIGKILL');
    await ended.catch(() => undefined);
    throw error;
  }
  const { code, said } = await ended;
  if (code !== 0) throw new Error(`The archive of ${what} could not be unpacked: ${lastLine(said, code)}.`);
}

interface End {
  code: number | null;
  said: string;
}

const MAX_OUTPUT = 16_384;

function endOf(child: ChildProcess): Promise<End> {
  let said = '';
  const ended = new Promise<End>((done, fail) => {
    const add = (text: string) => {
      said = (said + text).slice(-MAX_OUTPUT);
    };
    child.stderr?.setEncoding('utf8').on('data', guardedBy(fail, add));
    child.on('error', fail);
    child.on('close', (code) => done({ code, said }));
  });
  // The awaiting code handles the rejection.
  ended.catch(() => undefined);
  return ended;
}

const lastLine = (said: string, code: number | null): string =>
  said
    .trim()
    .split('\n')
    .findLast((line) => !/Exiting with failure status|^$/.test(line))
    ?.replace(/^tar: /, '') ?? `tar ended with ${code}`;
