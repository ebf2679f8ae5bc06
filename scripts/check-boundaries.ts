// Prints boundary violations as `file:line: rule: message` and fails if there are any.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkBoundaries, type SourceFile } from './boundary-rules.ts';

const root = join(import.meta.dirname, '..');
const folders = ['packages', 'bench', 'e2e', 'scripts'];
const notSource = ['node_modules', 'dist'];

function readSource(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return notSource.includes(entry.name) ? [] : readSource(path);
    return /\.[cm]?[jt]sx?$/.test(entry.name) || entry.name === 'package.json' ? [read(path)] : [];
  });
}

function read(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

const present = new Set(readdirSync(root));
const files = [read('package.json'), ...folders.filter((folder) => present.has(folder)).flatMap(readSource)];
const violations = checkBoundaries(files);
for (const { file, line, rule, message } of violations) console.log(`${file}:${line}: ${rule}: ${message}`);
console.log(`boundaries: ${files.length} files, ${violations.length} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
