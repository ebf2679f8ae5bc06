import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { callersTable } from '../callers-table.ts';
import { staticTable } from './static-table.ts';

const main = join(import.meta.dirname, '../../packages/cli/src/main.ts');

/** Oldest Node that runs the published packages: that of Debian 13. */
export const OLDEST_NODE = '20.19';

const olderNode = join(import.meta.dirname, 'older-node.ts');
/** Calls that the oldest Node does not have. */
const replaced: Record<string, [file: string, name: string]> = {
  'Array.fromAsync': [olderNode, 'fromAsync'],
  'Object.groupBy': [olderNode, 'groupBy'],
  'Promise.withResolvers': [olderNode, 'withResolvers'],
};

/** Bundles the command line client into `dir/main.mjs`, which loads the code of a command when it is named. Returns the source files. */
export async function bundleCli(dir: string): Promise<string[]> {
  const bundle = await rolldown({
    input: main,
    platform: 'node',
    transform: { target: `node${OLDEST_NODE}`, inject: replaced },
    treeshake: { moduleSideEffects: [{ test: /node_modules\/typebox\//, sideEffects: false }] },
    logLevel: 'warn',
    // An import that cannot be resolved would only be missed when its command runs.
    onLog: (level, log, print) => print(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
    plugins: [staticTable, callersTable],
  });
  try {
    const { output } = await bundle.write({
      dir,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    });
    return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  } finally {
    await bundle.close();
  }
}
