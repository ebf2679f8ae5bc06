import { join } from 'node:path';
import { agentMark } from '@hortus/contract/agent-file';
import { endpoints } from '@hortus/contract/endpoints';
import { VERSION } from '@hortus/daemon/version';
import { type Plugin, rolldown } from 'rolldown';

const main = join(import.meta.dirname, '../../packages/daemon/src/main.ts');

/** Bundles the daemon into one module that contains its version in a readable marker. */
export async function bundleDaemon(): Promise<string> {
  const bundle = await rolldown({
    input: main,
    platform: 'node',
    // Some libraries have an ES module only there; unused parts of the others cannot be left out.
    resolve: { mainFields: ['module', 'main'] },
    logLevel: 'warn',
    plugins: [callersTable],
  });
  try {
    // Keeps names, so that stack traces from servers stay readable.
    const minify = { compress: true, mangle: false, codegen: true };
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify });
    const [{ code }] = output;
    // The marker replaces the shebang line, which is useless here.
    return `// ${agentMark(VERSION)}\n${inAscii(code.replace(/^#!.*\n/, ''))}`;
  } finally {
    await bundle.close();
  }
}

/**
 * Reduces the endpoint table to what a client needs to call each endpoint. The schemas repeat what the compiler has checked; without
 * them the daemon is megabytes smaller.
 */
const callersTable: Plugin = {
  name: 'callers-table',
  load: {
    filter: { id: /packages\/contract\/src\/endpoints\.ts$/ },
    handler: () => {
      const rows = Object.entries(endpoints).map(([name, { method, path, idempotent, media }]) => [
        name,
        { method, path, idempotent, media },
      ]);
      return `export const endpoints = ${JSON.stringify(Object.fromEntries(rows))};`;
    },
  },
};

/** Escapes characters beyond Latin-1: a single one makes V8 store the whole source with two bytes per character. */
const inAscii = (code: string): string =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
