import { pipeline, type Readable } from 'node:stream';
import { type ArchiveFacts, WholeTar } from './whole-tar.ts';
import { contentFolder, type VolumePlace, withWindow } from './window.ts';

/**
 * Gives the content of a volume to `use`, as a tar archive that is never whole in memory, and answers what that answers. Owners,
 * modes, times to the second, links of both kinds and names of any bytes are kept; holes in files become zeros, sockets are
 * left out. The stream fails at its end if the engine could not read everything, as when a file became shorter meanwhile.
 */
export async function readVolume<Result>(
  place: VolumePlace,
  use: (content: Readable, facts: () => ArchiveFacts) => Promise<Result>,
): Promise<Result> {
  return await withWindow(place, true, async (id) => {
    const source = await place.engine.readArchive(id, contentFolder, place.signal);
    const whole = new WholeTar(`volume ${place.volume}`);
    pipeline(source, whole, () => undefined);
    try {
      return await use(whole, () => whole.facts);
    } finally {
      whole.destroy();
    }
  });
}

/**
 * Unpacks an archive into a volume that is there, beside what is in it already. One that is not whole is an error, but a part
 * of it is in the volume then.
 */
export async function writeVolume(place: VolumePlace, content: Readable): Promise<ArchiveFacts> {
  const whole = new WholeTar(`volume ${place.volume}`);
  // At once: a source may fail while the window is being opened.
  pipeline(content, whole, () => undefined);
  try {
    await withWindow(place, false, (id) => place.engine.writeArchive(id, '/', whole, place.signal));
    return whole.facts;
  } finally {
    whole.destroy();
  }
}
