import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Collects the licenses of the packages that a bundle contains parts of; most of them demand it. */
export function bundledLicenses(sources: readonly string[]): string {
  const folders = new Set(sources.flatMap((source) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []));
  const texts = [...folders].map(licenseOf).sort((a, b) => (a.title < b.title ? -1 : 1));
  return texts.map(({ title, text }) => `${title}\n${'-'.repeat(title.length)}\n\n${text.trim()}\n`).join('\n\n');
}

function licenseOf(folder: string): { title: string; text: string } {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.\w+)?$/i.test(entry));
  if (file === undefined && license === undefined) throw new Error(`${name} names no license.`);
  const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), 'utf8');
  return { title: `${name} ${version}`, text };
}
