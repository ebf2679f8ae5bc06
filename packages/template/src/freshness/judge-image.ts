import type { ImageReference } from '@hortus/contract/template/image';
import { halfFloating } from '../rules/half-floating.ts';
import { type TagVersion, tagVersion } from './tag-version.ts';
import { isNewer, isPrefix, type SeenTag, sureDigest, tableName, type VersionTable } from './version-table.ts';

/**
 * current: nothing newer is known. behind: a newer version is known. held: the template says why an older one is used.
 * unpinned: the version is right, but its known digest is not used. unknown: the table or the tag tells nothing.
 */
export type Verdict = 'current' | 'behind' | 'held' | 'unpinned' | 'unknown';

export interface Judgement {
  readonly verdict: Verdict;
  /** Newest stable tag with the same first number; undefined if the table has none of the flavour. */
  readonly newestOfLine: string | undefined;
  readonly newest: string | undefined;
  /** Known digest of the tag in use. */
  readonly digest: string | undefined;
  /** Why an older version is used, or why nothing can be said. */
  readonly reason: string | undefined;
}

/** Compares an image with the tags that are known of its repository. Compares versions of the same flavour only. */
export function judgeImage(image: ImageReference, table: VersionTable): Judgement {
  const seen = table.get(tableName(image.repository));
  const current = image.tag === undefined ? undefined : tagVersion(image.tag);
  if (seen === undefined) return unknown('the table does not have the repository');
  if (current === undefined) return unknown('the tag names no version');
  const rivals = seen.flatMap(({ tag, version }) =>
    version && isRival(version, current) && isComplete(image.repository, tag) ? [version] : [],
  );
  const [first] = current.numbers;
  const newest = newestOf(rivals);
  const newestOfLine = newestOf(rivals.filter(({ numbers }) => numbers[0] === first));
  const row = seen.find(({ tag }) => tag === image.tag);
  const digest = row && sureDigest(row, seen);
  const known = { newest: newest?.tag, newestOfLine: newestOfLine?.tag, digest };
  const { held } = image;
  const isBehind = newest !== undefined && isLater(newest, current);
  if (isBehind && held === undefined) return { verdict: 'behind', ...known, reason: undefined };
  if (held?.at !== undefined) {
    const line = held.at.split('.').map(Number);
    const followed = newestOf(rivals.filter(({ numbers }) => line.every((number, index) => numbers[index] === number)));
    if (!line.every((number, index) => current.numbers[index] === number))
      return { verdict: 'behind', ...known, reason: `held at ${held.at}, but the tag is not of that line` };
    if (followed !== undefined && isLater(followed, current))
      return { verdict: 'behind', ...known, reason: `held at ${held.at}, which has ${followed.tag}` };
  }
  if (digest !== undefined && image.digest === undefined && held === undefined)
    return { verdict: 'unpinned', ...known, reason: undefined };
  return { verdict: isBehind ? 'held' : 'current', ...known, reason: held?.reason };
}

const unknown = (reason: string): Judgement => ({
  verdict: 'unknown',
  newest: undefined,
  newestOfLine: undefined,
  digest: undefined,
  reason,
});

const isRival = (version: TagVersion, current: TagVersion): boolean =>
  version.stable && version.flavour === current.flavour && version.scheme === current.scheme;

/** Leaves out tags such as 18 and 18.4 of a project with 18.4.1: they name no release that a template could use. */
const isComplete = (repository: string, tag: string): boolean =>
  halfFloating({ repository: tableName(repository), tag }) === undefined;

/** A pinned tag such as 19 is not behind 19.0.4, since it may mean just that. */
const isLater = (version: TagVersion, current: TagVersion): boolean =>
  isNewer(version, current) && !isPrefix(current, version);

const newestOf = (versions: readonly TagVersion[]): TagVersion | undefined =>
  versions.reduce<TagVersion | undefined>(
    (best, version) => (best && !isNewer(version, best) ? best : version),
    undefined,
  );

/** Counts the digests of a table. */
export const digestsIn = (table: VersionTable): number =>
  [...table.values()].flat().filter(({ digest }: SeenTag) => digest !== undefined).length;
