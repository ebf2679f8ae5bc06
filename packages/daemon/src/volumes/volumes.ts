import type { Readable } from 'node:stream';
import { EngineProblem } from '../engine/engine-problem.ts';
import { localFolder } from './local-folder.ts';
import { SafeEntries } from './safe-entries.ts';
import { type Packed, packFolder, unpackInto } from './tar-program.ts';
import { type ArchiveFacts, WholeTar } from './whole-tar.ts';
import { contentFolder, contentName, type VolumePlace, withWindow } from './window.ts';

/**
 * Gives the content of a volume to `use`, as a tar archive that is never whole in memory, and answers what that answers. Owners,
 * modes, times to the second, links of both kinds and names of any bytes are kept; holes in files become zeros, sockets are
 * left out. The stream fails at its end if not everything could be read, as when a file became shorter meanwhile.
 */
export async function readVolume<Result>(
  place: VolumePlace,
  use: (content: Readable, facts: () => ArchiveFacts) => Promise<Result>,
): Promise<Result> {
  return await withWindow(place, true, async (id) => {
    const { content, proof } = await archiveOf(place, id);
    const whole = new WholeTar(`volume ${place.volume}`, content, { proof });
    try {
      return await use(whole, () => whole.facts);
    } finally {
      whole.destroy();
    }
  });
}

/**
 * Unpacks an archive into a volume that is there, beside what is in it already. One that is not whole, or holds what must not
 * be unpacked, is an error, but a part of it is in the volume then.
 */
export async function writeVolume(place: VolumePlace, content: Readable): Promise<ArchiveFacts> {
  // At once: a source may fail while the window is being opened.
  const entries = new SafeEntries(contentName);
  const whole = new WholeTar(`volume ${place.volume}`, content, { judge: (entry) => entries.refusal(entry) });
  try {
    await withWindow(place, false, (id) => unpack(place, id, whole));
    return whole.facts;
  } finally {
    whole.destroy();
  }
}

async function archiveOf(place: VolumePlace, windowId: string): Promise<Packed> {
  const folder = await localFolder(place, windowId, 'read');
  if (folder === undefined) {
    await checkArchives(place);
    const content = await place.engine.readArchive(windowId, contentFolder, place.signal);
    return { content, proof: async () => undefined };
  }
  return packFolder({ folder, what: `volume ${place.volume}`, name: contentName, signal: place.signal });
}

async function unpack(place: VolumePlace, windowId: string, content: Readable): Promise<void> {
  const folder = await localFolder(place, windowId, 'write');
  if (folder === undefined) {
    await checkArchives(place);
    return await place.engine.writeArchive(windowId, '/', content, place.signal);
  }
  await unpackInto({ folder, what: `volume ${place.volume}`, name: contentName, signal: place.signal }, content);
}

/** Podman's archives give everything to root, and what it unpacks misses the volume. Better nothing than that. */
async function checkArchives({ engine, volume }: VolumePlace): Promise<void> {
  if ((await engine.info()).name !== 'podman') return;
  const detail =
    'of a Podman that is not on the same machine, or where the daemon is not root, volumes cannot be carried whole';
  throw new EngineProblem({ operation: `open volume ${volume}`, kind: 'unsupported', detail });
}
