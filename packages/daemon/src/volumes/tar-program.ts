import { type ChildProcess, execFile, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { guardedBy } from '@hortus/client/guard';
import { BrokenArchive } from './whole-tar.ts';

/** The name that the engine gives to the folder of a volume, which archives of both ways begin with. */
export interface Packing {
  folder: string;
  /** How an error names what is packed: `volume blog-data`. */
  what: string;
  name: string;
  signal?: AbortSignal | undefined;
}

/** Of the file's own attributes what the engine keeps, and those that users set. */
const attributes = ['--xattrs', '--xattrs-include=security.capability', '--xattrs-include=user.*'];
/** Messages that can be compared, and names whose bytes nobody interprets. */
const env = { PATH: process.env.PATH, LC_ALL: 'C' };

let gnuTar: Promise<boolean> | undefined;
/** From 1.28 on it can sort, so that the same content is the same archive. */
export function hasGnuTar(): Promise<boolean> {
  gnuTar ??= promisify(execFile)('tar', ['--version'], { env }).then(
    ({ stdout }) => /^tar \(GNU tar\) (1\.(2[89]|[3-9]\d)|[2-9])/.test(stdout),
    () => false,
  );
  return gnuTar;
}

export interface Packed {
  readonly content: Readable;
  /** Rejects, at the end of the content, if not everything could be read. */
  readonly proof: () => Promise<void>;
}

/** The content of a folder as the engine would archive it. */
export function packFolder({ folder, what, name, signal }: Packing): Packed {
  const packing = spawn(
    'tar',
    [
      // Large records: by default it reads and writes 10 KB at a time.
      ...['--create', '--file=-', '--blocking-factor=128', '--sort=name', '--numeric-owner', ...attributes],
      // Headers hold nothing that differs between two readings of the same content.
      ...['--format=posix', '--pax-option=exthdr.name=%d/%f,delete=atime,delete=ctime,delete=mtime'],
      // Not in what symbolic links say.
      ...[`--transform=s,^\\.,${name},S`, '--directory', folder, '.'],
    ],
    { env, stdio: ['ignore', 'pipe', 'pipe'], signal, killSignal: 'SIGKILL' },
  );
  const ended = endOf(packing);
  // Ends a program whose output is not read to its end. One whose output is ends by itself, and its exit code says how it went.
  const closed = () => {
    if (!packing.stdout.readableEnded) packing.kill('SIGKILL');
  };
  packing.stdout.on(
    'close',
    guardedBy(() => undefined, closed),
  );
  const proof = async () => {
    const { code, said } = await ended;
    // 1: something was written to meanwhile. It is not told apart from a file that became shorter, whose rest is made up of zeros.
    const isWhole = code === 0 || (code === 1 && !/ shrank by /.test(said));
    if (!isWhole) throw new BrokenArchive(`The archive of ${what} is not whole: ${lastLine(said, code)}.`);
  };
  return { content: packing.stdout, proof };
}

/** Unpacks an archive of either way into a folder, beside what is there. */
export async function unpackInto({ folder, what, name, signal }: Packing, content: Readable): Promise<void> {
  const unpacking = spawn(
    'tar',
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
      // What it may replace is a file; a folder that is there already gets its attributes, and keeps what is in it.
      ...['--delay-directory-restore', `--transform=s,^${name},.,S`, '--directory', folder],
    ],
    { env, stdio: ['pipe', 'ignore', 'pipe'], signal, killSignal: 'SIGKILL' },
  );
  const ended = endOf(unpacking);
  let end: End | undefined;
  ended.then(
    (known) => {
      end = known;
    },
    () => undefined,
  );
  // It leaves when it has seen the end of the archive; what pads that is read all the same, up to the proof that it was whole.
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

const MOST_SAID = 16_384;

function endOf(child: ChildProcess): Promise<End> {
  let said = '';
  const ended = new Promise<End>((done, fail) => {
    const add = (text: string) => {
      said = (said + text).slice(-MOST_SAID);
    };
    child.stderr?.setEncoding('utf8').on('data', guardedBy(fail, add));
    child.on('error', fail);
    child.on('close', (code) => done({ code, said }));
  });
  // A failure is told to the code that waits for it.
  ended.catch(() => undefined);
  return ended;
}

const lastLine = (said: string, code: number | null): string =>
  said
    .trim()
    .split('\n')
    .findLast((line) => !/Exiting with failure status|^$/.test(line))
    ?.replace(/^tar: /, '') ?? `tar ended with ${code}`;
