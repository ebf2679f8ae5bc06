import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { callersTable } from '../callers-table.ts';
import { OLDEST_NODE } from '../cli/bundle.ts';
import { bundledLicenses } from './bundled-licenses.ts';
import { clientDeclarations } from './client-declarations.ts';
import { copyDocuments, manifestOf } from './staged-package.ts';

const source = join(import.meta.dirname, '../../packages/client');
/** Modules of the package by their names, and the files of the source that they are made from. */
const entries = { index: 'published', shell: 'shell/shell-connection' } as const;

/** Writes the files of the package @hortus/client. */
export async function stageClient(folder: string): Promise<void> {
  const bundled = await bundleClient(folder);
  for (const [name, text] of clientDeclarations(Object.values(entries))) {
    const isMain = name === `${entries.index}.d.ts`;
    const file = join(folder, 'types', name);
    await mkdir(dirname(file), { recursive: true });
    // Records such as Deployment are part of the package, although no module of the client exports them.
    await writeFile(file, isMain ? `${text}export type * from "./contract.js";\n` : text);
  }
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), bundledLicenses(bundled));
  await copyDocuments(source, folder);
  const exported = Object.entries(entries).map(([name, file]) => [
    name === 'index' ? '.' : `./${name}`,
    { types: `./types/${file}.d.ts`, default: `./${name}.js` },
  ]);
  await writeFile(
    join(folder, 'package.json'),
    manifestOf(source, {
      name: '@hortus/client',
      description: 'Client of the Hortus API for browsers and Node: typed calls, pages, streams, waiting, webhooks.',
      keywords: ['hortus', 'deployment', 'containers', 'api', 'client'],
      type: 'module',
      sideEffects: false,
      exports: { ...Object.fromEntries(exported), './package.json': './package.json' },
      types: `./types/${entries.index}.d.ts`,
    }),
  );
}

/** Bundles both entries together, because they share ApiProblem. Returns the source files. */
async function bundleClient(dir: string): Promise<string[]> {
  const input = Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [name, join(source, 'src', `${file}.ts`)]),
  );
  const bundle = await rolldown({
    input,
    cwd: join(import.meta.dirname, '../..'),
    platform: 'node',
    logLevel: 'warn',
    transform: { target: ['es2022', `node${OLDEST_NODE}`] },
    onLog: (level, log, print) => print(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
    plugins: [callersTable],
  });
  try {
    const { output } = await bundle.write({
      dir,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    });
    return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  } finally {
    await bundle.close();
  }
}
