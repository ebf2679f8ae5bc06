import { dirname, join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { callersTable } from '../callers-table.ts';

const root = join(import.meta.dirname, '../..');
const source = (file: string) => join(root, 'packages/service/src', file);

/** Folder of the bundle in a release. */
export const SERVICE_FOLDER = 'service';

/**
 * Bundles the service for a release: modules that run from any folder, without node_modules. Files that the source finds beside
 * itself (catalog, console, documentation, version) are found at the same places below the folder of the release.
 */
export async function bundleService(release: string): Promise<void> {
  // One by one, so that the worker threads and the service do not share a chunk.
  for (const input of [source('main.ts'), source('wiring/worker.ts')]) {
    const bundle = await rolldown({
      input,
      platform: 'node',
      logLevel: 'warn',
      // An import that cannot be resolved would only be missed when its code runs.
      onLog: (level, log, print) => print(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
      plugins: [callersTable, movable],
    });
    try {
      await bundle.write({
        dir: join(release, SERVICE_FOLDER),
        format: 'esm',
        entryFileNames: '[name].mjs',
        chunkFileNames: '[name]-[hash].mjs',
        // Keeps names, so that stack traces stay readable.
        minify: { compress: true, mangle: false, codegen: true },
      });
    } finally {
      await bundle.close();
    }
  }
}

/** Where the source says `import.meta.url`, the bundle says where that file would be in the release. */
const movable: Plugin = {
  name: 'movable',
  transform: {
    filter: { id: /\/packages\/\w+\/src\//, code: /import\.meta\./ },
    handler: (code, id) =>
      id === source('wiring/worker-pool.ts')
        ? code.replaceAll(`'./worker.ts'`, `'./worker.mjs'`)
        : code
            // The cache of the catalog asks for the folders of the code that reads it: that of the bundle.
            .replaceAll(/import\.meta\.resolve\('[^']+'\)/g, 'import.meta.url')
            .replaceAll(
              /new URL\(([^)]+), import\.meta\.url\)/g,
              `new URL($1, new URL('${placeOf(id)}', import.meta.url))`,
            ),
  },
};

const placeOf = (id: string): string => join('..', relative(root, dirname(id)), 'x');
