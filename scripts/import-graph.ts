// Follows imports between files of the repository.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The path in the repository that an import of ours leads to; undefined for modules of Node and of others. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const ours = /^@hortus\/([^/]+)(?:\/(.+))?$/.exec(specifier);
  return ours ? `packages/${ours[1]}/src/${ours[2] ?? 'index'}.ts` : undefined;
}

/**
 * Matches the imports of formatted source, which start a line. `findImports` also reads unformatted source, but takes twenty
 * times as long, and this is read at each start of a test run.
 */
const imports = /^(?:import|export)\b[^;'"]*?\bfrom '([^'\n]+)'|^import '([^'\n]+)'|\bimport\('([^'\n]+)'\)/gm;

/** Reads each file at most once, and only those that are asked for. */
export class ImportGraph {
  readonly #root: string;
  readonly #imports = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns the file itself and everything that it imports, directly or not, types included. */
  reachableFrom(path: string): Set<string> {
    const reached = new Set([path]);
    // A set visits what is added to it while it is iterated.
    for (const file of reached) for (const imported of this.#importsOf(file)) reached.add(imported);
    return reached;
  }

  #importsOf(path: string): readonly string[] {
    const known = this.#imports.get(path);
    if (known) return known;
    const imports = this.#read(path);
    this.#imports.set(path, imports);
    return imports;
  }

  #read(path: string): string[] {
    const file = join(this.#root, path);
    // Imported data, such as JSON and style sheets, imports nothing.
    if (!/\.[cm]?[jt]sx?$/.test(path) || !existsSync(file)) return [];
    const found = [...readFileSync(file, 'utf8').matchAll(imports)];
    const resolved = found.map(([, from, bare, lazy]) => resolveImport(path, from ?? bare ?? lazy ?? ''));
    return resolved.filter((target) => target !== undefined);
  }
}
