import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { PROGRAMS } from './image-config.ts';
import type { Entry } from './tar.ts';

const folder = join(import.meta.dirname, 'programs');

/** Bundles the small programs of the image, so that Node need not remove their types at each start. */
export async function programFiles(): Promise<Entry[]> {
  const names = await readdir(folder);
  const bundle = await rolldown({ input: names.map((name) => join(folder, name)), platform: 'node', logLevel: 'warn' });
  try {
    const { output } = await bundle.generate({ format: 'esm', entryFileNames: '[name].mjs' });
    return output.map(
      (file): Entry => ({
        path: `${PROGRAMS}/${file.fileName}`,
        kind: 'file',
        from: Buffer.from(file.type === 'chunk' ? file.code : file.source),
      }),
    );
  } finally {
    await bundle.close();
  }
}
