import { execFile } from 'node:child_process';
import { chmod, mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { UpdateOrder } from '@hortus/contract/releases/daemon-update';
import { noRoom } from './disk-refusal.ts';
import { type DownloadOptions, download } from './download.ts';
import type { KeptRelease, UpdateRecord } from './update-record.ts';
import { UpdateRefusal } from './update-refusal.ts';

/** Left free for the journal and the output of containers. */
const RESERVE_BYTES = 64 * 1024 ** 2;

/** The first digits name the file; the whole checksum is compared. */
const fileNameOf = (sha256: string): string => `hortusd-${sha256.slice(0, 16)}`;

export const keptRelease = (folder: string, { release }: Pick<UpdateOrder, 'release'>): KeptRelease => ({
  file: join(folder, fileNameOf(release.sha256)),
  version: release.version,
  sha256: release.sha256,
});

/** Downloads an ordered release into the folder of updates, as an executable file. */
export async function keepRelease(
  folder: string,
  { release, size }: Pick<UpdateOrder, 'release' | 'size'>,
  how: Pick<DownloadOptions, 'url' | 'key' | 'signal' | 'onProgress' | 'backoff' | 'withinMs'>,
): Promise<KeptRelease> {
  const kept = keptRelease(folder, { release });
  const part = `${kept.file}.part`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await requireRoom(folder, size);
  await download({ ...how, size, sha256: release.sha256, file: part });
  await chmod(part, 0o700);
  await rename(part, kept.file);
  await using directory = await open(folder, 'r');
  await directory.sync();
  return kept;
}

/** Removes binaries and unfinished downloads that the record does not name. */
export async function removeOtherReleases(folder: string, record: UpdateRecord, needed?: KeptRelease): Promise<void> {
  const named = [record.current, record.probation?.former, needed].flatMap((release) =>
    release ? [release.file] : [],
  );
  const keep = new Set(named.flatMap((file) => [basename(file), `${basename(file)}.part`]));
  const names = await readdir(folder).catch(() => []);
  const old = names.filter((name) => name.startsWith('hortusd-') && !keep.has(name));
  for (const name of old) await rm(join(folder, name), { force: true });
}

/** Runs `hortusd version` of a release: shows that this machine can execute it, and that it is what its release says. */
export async function requireVersion({ file, version }: KeptRelease): Promise<void> {
  let said: string;
  try {
    said = await versionOf(file);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EACCES' ? 'the file system does not allow to execute files (noexec)' : message.trim();
    throw new UpdateRefusal('not_executable', `${file} cannot be executed on this server: ${why}.`, { cause });
  }
  if (said !== version)
    throw new UpdateRefusal('other_version', `The binary reports version ${said}, but its release is ${version}.`);
}

async function versionOf(file: string, attempts = 5): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(file, ['version'], {
      timeout: 30_000,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024,
      env: { PATH: process.env.PATH },
    });
    return stdout.trim().slice(0, 100);
  } catch (error) {
    // A process that was forked while the file was written may hold it open until it has started its own program.
    if ((error as NodeJS.ErrnoException).code !== 'ETXTBSY' || attempts <= 1) throw error;
    await sleep(50);
    return versionOf(file, attempts - 1);
  }
}

async function requireRoom(folder: string, size: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = size + RESERVE_BYTES;
  if (bavail * bsize < needed)
    throw noRoom(folder, `it has ${mebibytes(bavail * bsize)}, ${mebibytes(needed)} are needed`);
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`;
