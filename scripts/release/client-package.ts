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
    const path = join(folder, 'types', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  // Beside the modules, where compilers that do not read `exports` look for them.
  for (const [name, file] of Object.entries(entries)) {
    // Records such as Deployment are part of the package, although no module of the client exports them.
    const records = name === 'index' ? 'export type * from "./types/contract.js";\n' : '';
    await writeFile(join(folder, `${name}.d.ts`), `export * from "./types/${file}.js";\n${records}`);
  }
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), bundledLicenses(bundled));
  await copyDocuments(source, folder);
  const exported = Object.keys(entries).map((name) => [
    name === 'index' ? '.' : `./${name}`,
    { types: `./${name}.d.ts`, default: `./${name}.js` },
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
      types: './index.d.ts',
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
