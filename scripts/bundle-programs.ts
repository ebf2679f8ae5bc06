import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const source = (path: string) => join(import.meta.dirname, '..', 'packages', path);

/**
 * Bundles the service and the daemon into one module each, because a start from the source spends most of its time opening
 * hundreds of modules. `npm start` (see programs.mjs) and the tests (testkit/programs.ts) run the bundles.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  await Promise.all([
    bundle(join(folder, 'serve'), [join(import.meta.dirname, 'serve.ts')]),
    bundle(join(folder, 'service'), [source('service/src/main.ts')]),
    // Bundled separately, so that code shared with the service does not become a third file of every start.
    bundle(join(folder, 'serve'), [source('service/src/wiring/worker.ts')]),
    bundle(join(folder, 'service'), [source('service/src/wiring/worker.ts')]),
    bundle(join(folder, 'daemon'), [
      source('daemon/src/main.ts'),
      source('daemon/src/testing/killed-main.ts'),
      source('daemon/src/update/testing/stand-in.ts'),
    ]),
  ]);
}

async function bundle(dir: string, input: string[]): Promise<void> {
  const made = await rolldown({ input, platform: 'node', logLevel: 'warn', plugins: [samePlaces] });
  try {
    const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' };
    await made.write({ dir, format: 'esm', ...names });
  } finally {
    await made.close();
  }
}

/**
 * Resolves `import.meta` paths to the source tree, except for the daemon, its launcher and the worker threads of the service,
 * which are bundles.
 */
const findsPrograms = [
  source('daemon/'),
  source('service/src/wiring/worker-pool.ts'),
  join(import.meta.dirname, 'local-daemon.ts'),
];

const samePlaces: Plugin = {
  name: 'same-places',
  transform: {
    filter: { id: /\/(packages\/\w+\/src|scripts)\//, code: /import\.meta\./ },
    handler: (code, id) =>
      findsPrograms.some((place) => id.startsWith(place))
        ? code
            // A bundle is one file: parts in folders find the main program next to themselves too.
            .replaceAll(/'\.\.?\/main\.ts'/g, `'./main.mjs'`)
            .replaceAll(`'./worker.ts'`, `'./worker.mjs'`)
            .replaceAll(`'../packages/daemon/src/main.ts'`, `'../daemon/main.mjs'`)
        : code
            .replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, (_, name) => JSON.stringify(import.meta.resolve(name)))
            .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
            .replaceAll('import.meta.dirname', JSON.stringify(dirname(id))),
  },
};

if (import.meta.main) await bundlePrograms(process.argv[2] as string);
