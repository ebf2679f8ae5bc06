import { access, constants, lstat } from 'node:fs/promises';
import { tarCommand } from './tar-command.ts';
import { contentFolder, type VolumePlace } from './window.ts';

/**
 * Returns the host folder of a volume if the daemon can access it directly, about twice as fast: the engine copies
 * every byte through two more processes. Undefined where only the engine can: a remote or rootless engine, remapped
 * users, another volume driver, a daemon without root, or a tar that does not preserve everything or could create devices.
 */
export async function localFolder(
  { engine, volume, throughEngine }: VolumePlace,
  windowId: string,
  to: 'read' | 'write',
) {
  if (throughEngine || process.getuid?.() !== 0) return undefined;
  const folder = (await engine.volume(volume))?.folder;
  if (folder === undefined || (await tarCommand()) === undefined) return undefined;
  const { name, rootless, remapsUsers } = await engine.info();
  if (rootless || remapsUsers || !(await isSame({ engine, windowId, folder }))) return undefined;
  // The systemd unit makes everything read-only except the usual volume folders of engines.
  if (to === 'write' && !(await isWritable(folder))) return undefined;
  // Podman gives the folder to the user of the first container that starts with it. So start one while the folder is
  // empty; the start then fails because the image has no program.
  if (to === 'write' && name === 'podman') await engine.start(windowId).catch(() => undefined);
  return folder;
}

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );

/** Checks that the path leads to the same folder here as in the engine, which may run on another machine. */
async function isSame({
  engine,
  windowId,
  folder,
}: Pick<VolumePlace, 'engine'> & { windowId: string; folder: string }) {
  const here = await lstat(folder, { bigint: true }).catch(() => undefined);
  if (!here?.isDirectory()) return false;
  const there = await engine.pathFacts(windowId, contentFolder);
  return BigInt(there.sizeBytes) === here.size && nanoseconds(there.changedAt) === here.mtimeNs;
}

/**
 * Parses `2026-11-15T12:00:00.123456789Z`, or with an offset, into nanoseconds since 1970; undefined if it is not a
 * time.
 */
function nanoseconds(time: string): bigint | undefined {
  const [, seconds = '', fraction = '', zone = ''] = /^([^.Z+]+?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  const ms = Date.parse(`${seconds}${zone}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
