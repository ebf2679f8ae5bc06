import { repositoryOf } from '../notation/image-reference.ts';
import { compareVersions } from '../notation/version-order.ts';
import { type TagVersion, tagVersion } from './tag-version.ts';

/** A tag that was seen somewhere, and its digest where a store pins one. */
export interface SeenTag {
  readonly tag: string;
  readonly digest: string | undefined;
  readonly version: TagVersion | undefined;
}

/** Tags by repository. */
export type VersionTable = ReadonlyMap<string, readonly SeenTag[]>;

/** The table cannot be read; the message names the line. */
export class TableProblem extends Error {}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Reads lines of repository, tag, digest and stores, separated by tabs, after comments and a heading. */
export function readVersionTable(text: string): VersionTable {
  const table = new Map<string, SeenTag[]>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line === '' || line.startsWith('#') || line.startsWith('repository\t')) continue;
    const [repository = '', tag = '', digest = ''] = line.split('\t');
    if (repository === '' || tag === '')
      throw new TableProblem(`line ${index + 1}: needs a repository and a tag, separated by a tab`);
    if (digest !== '' && !DIGEST.test(digest))
      throw new TableProblem(`line ${index + 1}: ${JSON.stringify(digest)} is not a sha256 digest`);
    const name = tableName(repository);
    const seen = { tag, digest: digest === '' ? undefined : digest, version: tagVersion(tag) };
    table.set(name, [...(table.get(name) ?? []), seen]);
  }
  return table;
}

/** Returns the full repository; stores also write docker.io/mongo for docker.io/library/mongo. */
export const tableName = (repository: string): string =>
  repositoryOf(repository).replace(/^docker\.io\/([^/]+)$/, 'docker.io/library/$1');

export const isNewer = (version: TagVersion, other: TagVersion): boolean =>
  compareVersions(version.numbers.join('.'), other.numbers.join('.')) > 0;

/** Answers whether a version names the other incompletely, as 17 does for 17.10. */
export const isPrefix = ({ numbers }: TagVersion, other: TagVersion): boolean =>
  numbers.length <= other.numbers.length && numbers.every((number, index) => other.numbers[index] === number);

/**
 * Returns the digest of a tag. If the same digest is given for a newer version, a store forgot to change one of the two, so the
 * older tag gets none.
 */
export function sureDigest({ tag, digest, version }: SeenTag, all: readonly SeenTag[]): string | undefined {
  const isMistaken = all.some(
    (other) =>
      digest !== undefined &&
      other.digest === digest &&
      other.tag !== tag &&
      version !== undefined &&
      other.version !== undefined &&
      isNewer(other.version, version) &&
      !isPrefix(version, other.version),
  );
  return isMistaken ? undefined : digest;
}
