import { join } from 'node:path';
import { agentMark } from '@hortus/contract/agent-file';
import { endpoints } from '@hortus/contract/endpoints';
import { VERSION } from '@hortus/daemon/version';
import { type Plugin, rolldown } from 'rolldown';

const main = join(import.meta.dirname, '../../packages/daemon/src/main.ts');

/** The daemon and all that it imports as one module, which carries its version where it can be found from outside. */
export async function bundleDaemon(): Promise<string> {
  const bundle = await rolldown({ input: main, platform: 'node', logLevel: 'warn', plugins: [callersTable] });
  try {
    // Names stay as they are: a stack trace of a server far away has to be read by somebody.
    const minify = { compress: false, mangle: false, codegen: true };
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify });
    const [{ code }] = output;
    // First, whatever the bundle begins with: a line for the shell would be none any more.
    return `// ${agentMark(VERSION)}\n${inAscii(code.replace(/^#!.*\n/, ''))}`;
  } finally {
    await bundle.close();
  }
}

/**
 * Of the table of endpoints a caller needs where each is and how it is asked. Their schemas, which are most of it, say at
 * run time what the compiler has checked already: without them the daemon is megabytes smaller.
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

/** One character beyond Latin-1 anywhere, and the engine keeps the whole source at two bytes a character for ever. */
const inAscii = (code: string): string =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
