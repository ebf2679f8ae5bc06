// Fails if a regular expression of the packages can take more than linear time, or is built from values it cannot read.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { builtPatterns, provenPatterns } from './patterns/exceptions.ts';
import { slownessOf } from './patterns/linearity.ts';
import { patternsIn } from './patterns/sources.ts';

const root = join(import.meta.dirname, '..');

// Tests read only what they write themselves.
const isSource = (path: string) =>
  /^packages\/(?!testkit\/)[^/]+\/src\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$|\/testing\//.test(path);
const paths = readdirSync(join(root, 'packages'), { recursive: true, withFileTypes: false })
  .map((path) => `packages/${path}`)
  .filter((path) => !path.includes('node_modules') && isSource(path));

const problems: string[] = [];
const places = new Map<string, { readonly source: string; readonly flags: string; readonly at: string }>();
const unusedBuilt = new Set(builtPatterns.map(({ file, text }) => `${file} ${text}`));
for (const path of paths) {
  const { known, built } = patternsIn(path, readFileSync(join(root, path), 'utf8'));
  for (const { source, flags, line } of known)
    places.set(`${flags} ${source}`, { source, flags, at: `${path}:${line}` });
  for (const { text, line } of built)
    if (
      !unusedBuilt.delete(`${path} ${text}`) &&
      !builtPatterns.some((item) => item.file === path && item.text === text)
    )
      problems.push(`${path}:${line}: ${text} is built from values; list it in scripts/patterns/exceptions.ts`);
}

const isProven = (source: string) => provenPatterns.some((proven) => proven.source === source);
const waiting = [...places.values()].filter(({ source }) => !isProven(source));
async function examine(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const slowness = await slownessOf(next.source, next.flags);
    if (slowness !== undefined) problems.push(`${next.at}: /${next.source}/${next.flags} ${slowness}`);
  }
}
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, examine));
const sources = new Set([...places.values()].map(({ source }) => source));
const unusedProven = provenPatterns.map(({ source }) => source).filter((source) => !sources.has(source));
for (const text of [...unusedBuilt, ...unusedProven])
  problems.push(`scripts/patterns/exceptions.ts: ${text} is not needed; remove it`);

for (const problem of problems.sort()) console.log(problem);
console.log(`patterns: ${places.size} in ${paths.length} files, ${problems.length} problems`);
// The process that examines would keep this one alive.
process.exit(problems.length === 0 ? 0 : 1);
