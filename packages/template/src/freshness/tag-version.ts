/** A tag taken apart, so that tags of one repository can be compared. */
export interface TagVersion {
  readonly tag: string;
  readonly numbers: readonly number[];
  /** Words before and after the version without their numbers: `alpine` of 8.2.1-alpine3.22. */
  readonly flavour: string;
  /** How versions are counted: a repository may have changed from dates to numbers. */
  readonly scheme: 'numbers' | 'years' | 'dates';
  readonly stable: boolean;
}

const UNSTABLE = new Set(
  'rc beta alpha nightly dev edge preview canary next unstable snapshot pre master main develop test testing b'.split(
    ' ',
  ),
);
/** A date with dashes: 2025-05-14, with a letter for a correction of the same day. */
const DASHED = /^(.*?)(20\d\d)-(\d\d)-(\d\d)([a-z](?![a-z]))?(.*)$/s;
const DOTTED = /^(.*?)(?<![\w.])[vV]?(\d+(?:\.\d+)*)(.*)$/s;
/** Builds of one version: `-ls309` of linuxserver.io, `-r1` and `-2` of packages. */
const BUILD = /[-_](?:ls|r|p)?(\d{1,20})(?![\w.])/g;
/** A commit, as in 2024.10.22-7ca5933. */
const COMMIT = /[-_.](?=[a-f]{0,39}\d)[\da-f]{7,40}(?!\w)/g;

/** Returns undefined for tags without a version, such as `latest` or `alpine`. */
export function tagVersion(tag: string): TagVersion | undefined {
  const [before, numbers, after] = dashed(tag) ?? dotted(tag) ?? [];
  if (before === undefined || numbers === undefined || after === undefined) return undefined;
  const builds = [...after.matchAll(BUILD)].map(([, number]) => Number(number));
  const words = `${before} ${after.replaceAll(BUILD, '').replaceAll(COMMIT, '')}`
    .toLowerCase()
    .replaceAll(/[\d.]+/g, ' ')
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  return {
    tag,
    numbers: [...numbers, ...builds],
    flavour: words.join('-'),
    scheme: schemeOf(numbers),
    stable: !words.some((word) => UNSTABLE.has(word)),
  };
}

type Pieces = [before: string, numbers: number[], after: string];

function dashed(tag: string): Pieces | undefined {
  const [, before, year, month, day, letter = '', after] = DASHED.exec(tag) ?? [];
  if (before === undefined || after === undefined) return undefined;
  const correction = letter === '' ? [] : [letter.charCodeAt(0) - 96];
  return [before, [Number(year), Number(month), Number(day), ...correction], after];
}

function dotted(tag: string): Pieces | undefined {
  const [, before, version, after] = DOTTED.exec(tag) ?? [];
  if (before === undefined || version === undefined || after === undefined) return undefined;
  return [before, version.split('.').map(Number), after];
}

function schemeOf([first = 0]: readonly number[]): TagVersion['scheme'] {
  if (first >= 100_000) return 'dates';
  return first >= 2000 && first < 2100 ? 'years' : 'numbers';
}
