import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the image substitutes of a daemon into a folder and returns the environment that names the file. */
export function writeSubstitutes(
  folder: string,
  substitutes: Readonly<Record<string, string>>,
): { HORTUSD_IMAGE_SUBSTITUTES: string } {
  const path = join(folder, 'image-substitutes.json');
  writeFileSync(path, JSON.stringify(substitutes));
  return { HORTUSD_IMAGE_SUBSTITUTES: path };
}
