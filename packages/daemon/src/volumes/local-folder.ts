import { access, constants, lstat } from 'node:fs/promises';
import { hasGnuTar } from './tar-program.ts';
import { contentFolder, type VolumePlace } from './window.ts';

/**
 * The folder of a volume on this machine, if it can be read and written past the engine: about twice as fast, because the engine
 * hands every byte through two processes of its own. Undefined where only the engine can: it is on another machine, has its own
 * idea of who root is, or keeps the volume in some other way; or this daemon is not root, or has no tar that keeps everything.
 */
export async function localFolder(
  { engine, volume, throughEngine }: VolumePlace,
  windowId: string,
  to: 'read' | 'write',
) {
  if (throughEngine || process.getuid?.() !== 0) return undefined;
  const folder = (await engine.volume(volume))?.folder;
  if (folder === undefined || !(await hasGnuTar())) return undefined;
  const { name, rootless, remapsUsers } = await engine.info();
  if (rootless || remapsUsers || !(await isSame({ engine, windowId, folder }))) return undefined;
  // The systemd unit makes everything read-only but the places where engines keep volumes as a rule.
  if (to === 'write' && !(await isWritable(folder))) return undefined;
  // Podman gives the folder to the user of the first container that starts with it. So one does, before there is anything in it;
  // that there is no program in it comes after that.
  if (to === 'write' && name === 'podman') await engine.start(windowId).catch(() => undefined);
  return folder;
}

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );

/** Whether the path leads to the volume here too, and not to something else on the machine that this daemon runs on. */
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

/** Of `2026-11-15T12:00:00.123456789Z` or with an offset, since 1970; undefined if it is no time. */
function nanoseconds(time: string): bigint | undefined {
  const [, seconds = '', fraction = '', zone = ''] = /^([^.Z+]+?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  const ms = Date.parse(`${seconds}${zone}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
