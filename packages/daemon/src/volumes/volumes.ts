import type { Readable } from 'node:stream';
import { EngineProblem } from '../engine/engine-problem.ts';
import { CheckedTar } from './checked-tar.ts';
import { localFolder } from './local-folder.ts';
import { SafeEntries } from './safe-entries.ts';
import type { ArchiveFacts } from './tar-check.ts';
import { type Packed, packFolder, unpackInto } from './tar-program.ts';
import { contentFolder, contentName, type VolumePlace, withWindow } from './window.ts';

/**
 * Streams the content of a volume to `use` as a tar archive and returns the result of `use`. Keeps owners, modes, times
 * to the second, both kinds of links and names of any bytes; holes in files become zeros, sockets are skipped. The
 * stream fails at its end if something could not be read, for example because a file shrank.
 */
export async function readVolume<Result>(
  place: VolumePlace,
  use: (content: Readable, facts: () => ArchiveFacts) => Promise<Result>,
): Promise<Result> {
  return await withWindow(place, true, async (id) => {
    const { content, proof } = await archiveOf(place, id);
    const whole = new CheckedTar(`volume ${place.volume}`, content, { proof });
    try {
      return await use(whole, () => whole.facts);
    } finally {
      whole.destroy();
    }
  });
}

/**
 * Unpacks an archive into an existing volume and keeps other files in it. Throws for an incomplete or hostile archive;
 * the volume may then contain a part of it.
 */
export async function writeVolume(place: VolumePlace, content: Readable): Promise<ArchiveFacts> {
  // Before the helper container exists: the source may fail while it is created.
  const entries = new SafeEntries(contentName);
  const whole = new CheckedTar(`volume ${place.volume}`, content, { judge: (entry) => entries.refusal(entry) });
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

/** Rejects Podman's archive calls: they lose the owners of files, and unpacking misses the volume. */
async function checkArchives({ engine, volume }: VolumePlace): Promise<void> {
  if ((await engine.info()).name !== 'podman') return;
  const detail = 'Podman volumes can be copied only by a root daemon on the same machine';
  throw new EngineProblem({ operation: `open volume ${volume}`, kind: 'unsupported', detail });
}
