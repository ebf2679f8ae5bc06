import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const source = (path: string) => join(import.meta.dirname, '..', 'packages', path);

/**
 * The service and the daemon as one module each, for tests, which start them hundreds of times: of every start from the source
 * most is spent on finding and opening some hundred modules. What `npm start` runs is the source, and has tests of its own.
 * Where they are found stands in testkit/programs.ts.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  await Promise.all([
    bundle(join(folder, 'service'), [source('service/src/main.ts')]),
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

/** What a module finds by where it stands is still there; only the daemon finds itself, to be started again as a shim. */
const samePlaces: Plugin = {
  name: 'same-places',
  transform: {
    filter: { id: /\/packages\/\w+\/src\//, code: /import\.meta\./ },
    handler: (code, id) =>
      id.startsWith(source('daemon/'))
        ? code.replaceAll(`'./main.ts'`, `'./main.mjs'`)
        : code
            .replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, (_, name) => JSON.stringify(import.meta.resolve(name)))
            .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
            .replaceAll('import.meta.dirname', JSON.stringify(dirname(id))),
  },
};
