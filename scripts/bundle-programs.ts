import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const source = (path: string) => join(import.meta.dirname, '..', 'packages', path);

/**
 * The service and the daemon as one module each: of a start from the source most is spent on finding and opening some
 * hundred modules. `npm start` runs them (see programs.mjs), and tests, which find them by testkit/programs.ts.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  await Promise.all([
    bundle(join(folder, 'serve'), [join(import.meta.dirname, 'serve.ts')]),
    bundle(join(folder, 'service'), [source('service/src/main.ts')]),
    // Beside both: by itself, so that what it shares with the service does not become a third file of every start.
    bundle(join(folder, 'serve'), [source('service/src/wiring/worker.ts')]),
    bundle(join(folder, 'service'), [source('service/src/wiring/worker.ts')]),
    bundle(join(folder, 'daemon'), [source('daemon/src/main.ts'), source('daemon/src/testing/killed-main.ts')]),
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
 * Leaves files where modules look for them by their own place. The daemon finds itself, `npm start` the daemon, and the
 * service its worker threads among the bundles.
 */
const findsPrograms = [source('daemon/'), source('service/src/wiring/worker-pool.ts'), import.meta.dirname];

const samePlaces: Plugin = {
  name: 'same-places',
  transform: {
    filter: { id: /\/(packages\/\w+\/src|scripts)\//, code: /import\.meta\./ },
    handler: (code, id) =>
      findsPrograms.some((place) => id.startsWith(place))
        ? code
            .replaceAll(`'./main.ts'`, `'./main.mjs'`)
            .replaceAll(`'./worker.ts'`, `'./worker.mjs'`)
            .replaceAll(`'../packages/daemon/src/main.ts'`, `'../daemon/main.mjs'`)
        : code
            .replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, (_, name) => JSON.stringify(import.meta.resolve(name)))
            .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
            .replaceAll('import.meta.dirname', JSON.stringify(dirname(id))),
  },
};

if (import.meta.main) await bundlePrograms(process.argv[2] as string);
