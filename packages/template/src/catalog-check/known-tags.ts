import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Canonical } from '../canonical/canonical-form.ts';
import { imagesOf } from '../canonical/images-of.ts';
import { imageText } from '../notation/image-reference.ts';
import { isMadeImage } from '../notation/made-images.ts';
import { nearest } from '../schema/nearest.ts';
import { error, type Remark } from '../source/finding.ts';

const REFERENCE = /(?<![\w./:@-])(?:[\w.-]+(?::\d+)?\/)*[\w.-]+:[\w][\w.-]*/g;
const WITH_DEFAULT = /\$\{\w+:?-([^{}]*)\}/g;
const ROW = /^([\w./:-]+)\t(\w[\w.-]*)(?=\t|\r?$)/gm;

/** Collects every `repository:tag` in the files of a folder, in its short form; a table (.tsv) has a column for each. */
export async function tagsIn(folder: string): Promise<Set<string>> {
  const tags = new Set<string>();
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    if (entry.name.endsWith('.tsv')) {
      for (const [, repository, tag] of text.matchAll(ROW)) tags.add(short(`${repository}:${tag}`));
    } else {
      for (const [found] of text.replaceAll(WITH_DEFAULT, '$1').matchAll(REFERENCE)) tags.add(short(found));
    }
  }
  return tags;
}

const short = (image: string) => image.replace(/^(docker\.io|index\.docker\.io)\//, '').replace(/^library\//, '');

/** Reports tags that occur in no known file and may be typing errors; `unverified` disables the check. */
export function* unknownTags(spec: Canonical, known: ReadonlySet<string>): Generator<Remark> {
  if (spec.unverified) return;
  for (const [path, image] of imagesOf(spec)) {
    const { repository, tag } = image;
    if (
      tag === undefined ||
      image.digest !== undefined ||
      isMadeImage(repository) ||
      known.has(short(`${repository}:${tag}`))
    )
      continue;
    const name = `${short(repository)}:`;
    const others = [...known].filter((text) => text.startsWith(name)).map((text) => text.slice(name.length));
    if (isOfficial(name) && others.some((other) => isOtherFlavour(tag, other))) continue;
    const meant = nearest(tag, others) ?? others[0];
    const hint = meant === undefined ? 'set unverified: true' : `did you mean ${meant}? Otherwise set unverified: true`;
    yield { ...error('unknown-tag', path, `${imageText(image)} occurs in no known catalog`, hint), within: tag };
  }
}

const isOfficial = (shortName: string) => !shortName.includes('/');

/** Official images publish a version in all flavours at once: 17.10-alpine proves that 17.10 exists. */
function isOtherFlavour(tag: string, other: string): boolean {
  const [version = ''] = tag.split('-', 1);
  return /^v?\d+(\.\d+)+$/.test(version) && other.split('-', 1)[0] === version;
}
