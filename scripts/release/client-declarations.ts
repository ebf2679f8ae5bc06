import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { contractDeclarations } from './contract-declarations.ts';

const source = join(import.meta.dirname, '../../packages/client/src');
const CONTRACT = 'contract';

/** Imports of a declaration file, of the client or of the contract. */
const imported = /(from )"(@hortus\/contract\/[\w/-]+|\.{1,2}\/[\w./-]+\.ts)"/g;

/**
 * Returns the declaration files of the client by their names, beginning with those of the entries. Their imports of the contract lead
 * to one generated file.
 */
export function clientDeclarations(entries: readonly string[]): Map<string, string> {
  const files = new Map([[`${CONTRACT}.d.ts`, contractDeclarations()]]);
  const add = (name: string) => {
    if (files.has(`${name}.d.ts`)) return;
    const { code, errors } = isolatedDeclarationSync(`${name}.ts`, readFileSync(join(source, `${name}.ts`), 'utf8'));
    if (errors.length > 0) throw new Error(`${name}.ts: ${errors.map(({ message }) => message).join(', ')}`);
    const needed: string[] = [];
    const text = code.replaceAll(imported, (_, from: string, module: string) => {
      const target = module.startsWith('@') ? CONTRACT : join(dirname(name), module).replace(/\.ts$/, '');
      if (target !== CONTRACT) needed.push(target);
      return `${from}"./${relative(dirname(name), target)}.js"`.replace('"./../', '"../');
    });
    files.set(`${name}.d.ts`, text);
    for (const text of needed) add(text);
  };
  for (const entry of entries) add(entry);
  return files;
}
