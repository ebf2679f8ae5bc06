import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentMark } from '@hortus/contract/releases/agent-file';
import { VERSION } from '@hortus/contract/releases/version';
import { type Plugin, rolldown } from 'rolldown';
import { callersTable } from '../callers-table.ts';

const main = join(import.meta.dirname, '../../packages/daemon/src/main.ts');
const loader = join(import.meta.dirname, 'load-scripts.cjs');

export interface DaemonBundle {
  /** Loads the scripts. Contains the daemon's version in a readable marker. */
  readonly main: string;
  /** The code of each script by the name under which the others require it. */
  readonly scripts: Readonly<Record<string, string>>;
}

/**
 * Bundles the daemon into scripts that are loaded when needed. While V8 parses one large script, it takes megabytes from malloc that
 * the process never returns; and an idle daemon needs only a part of the code.
 */
export async function bundleDaemon(): Promise<DaemonBundle> {
  const bundle = await rolldown({
    input: main,
    platform: 'node',
    // Some libraries have an ES module only there; unused parts of the others cannot be left out.
    resolve: { mainFields: ['module', 'main'] },
    // The package of TypeBox does not declare that unused modules can be left out.
    treeshake: { moduleSideEffects: [{ test: /node_modules\/typebox\//, sideEffects: false }] },
    // Otherwise V8 compiles every module at the start, also those that an idle daemon never runs.
    optimization: { pifeForModuleWrappers: false },
    logLevel: 'warn',
    plugins: [callersTable, typeNamespace],
  });
  try {
    // Keeps names, so that stack traces from servers stay readable.
    const minify = { compress: true, mangle: false, codegen: true };
    const { output } = await bundle.generate({
      format: 'cjs',
      dynamicImportInCjs: false,
      codeSplitting: { groups: [{ name: packageOf, debugName: 'packages' }] },
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      minify,
    });
    const chunks = output.filter((file) => file.type === 'chunk');
    // The shebang line is useless here.
    const scripts = chunks.map(({ fileName, code }) => [`./${fileName}`, inAscii(code.replace(/^#!.*\n/, ''))]);
    const main = await readFile(loader, 'utf8');
    return { main: `// ${agentMark(VERSION)}\n${main}`, scripts: Object.fromEntries(scripts) };
  } finally {
    await bundle.close();
  }
}

/**
 * Separates libraries from each other and from this project, whose code is split where it imports dynamically. The part for a Swarm, with
 * what it imports, is a script of its own, because together with the rest it would be too large.
 */
const packageOf = (file: string): string | null =>
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]?.replace('/', '-') ??
  /\/packages\/daemon\/src\/(swarm)\//.exec(file)?.[1] ??
  null;

/**
 * Imports TypeBox as a namespace. Its default export is one object, of which nothing can be left out. Other imported names are
 * types, which the bundle does not need.
 */
const typeNamespace: Plugin = {
  name: 'type-namespace',
  transform: {
    filter: { code: "from 'typebox'" },
    handler: (code) => code.replace(/^import Type\b.* from 'typebox';$/m, "import * as Type from 'typebox';"),
  },
};

/** Escapes characters beyond Latin-1: a single one makes V8 store the whole source with two bytes per character. */
const inAscii = (code: string): string =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
