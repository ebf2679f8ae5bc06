import { type ImageFreshness, isOpen } from './catalog-freshness.ts';
import type { Verdict } from './judge-image.ts';

const WORDS: Readonly<Record<Verdict, string>> = {
  behind: 'behind',
  unpinned: 'not pinned',
  held: 'held',
  unknown: 'unknown',
  current: 'current',
};

/** Lists what is not current, by species, and counts the rest. */
export function freshnessReport(images: readonly ImageFreshness[], digests: number): string {
  const lines: string[] = [];
  let last: string | undefined;
  for (const image of images) {
    if (image.verdict === 'current' && image.reason === undefined) continue;
    if (image.species !== last) lines.push(image.species);
    last = image.species;
    lines.push(`  ${WORDS[image.verdict].padEnd(10)}  ${image.image} (${image.path})${detail(image)}`);
  }
  const count = (verdict: Verdict) => images.filter((image) => image.verdict === verdict).length;
  const species = new Set(images.map((image) => image.species)).size;
  const counts = (['current', 'held', 'behind', 'unpinned', 'unknown'] as const).map(
    (verdict) => `${count(verdict)} ${WORDS[verdict]}`,
  );
  const open = new Set(images.filter(isOpen).map((image) => image.species)).size;
  return [
    ...lines,
    `${images.length} images of ${species} species: ${counts.join(', ')}; ${images.filter((image) => image.pinned).length} pinned by digest`,
    `The table has ${digests} digests; whether each is of an index with all architectures cannot be seen in it.`,
    open === 0 ? 'Nothing is behind without a reason.' : `${open} species need a newer version, a digest or a reason.`,
    '',
  ].join('\n');
}

function detail({ newest, newestOfLine, digest, verdict, reason }: ImageFreshness): string {
  const newer = verdict === 'behind' || verdict === 'held' ? `newest ${newest}` : '';
  const ofLine =
    newer !== '' && newestOfLine !== undefined && newestOfLine !== newest ? `of its line ${newestOfLine}` : '';
  const pin = verdict === 'unpinned' ? `digest ${digest}` : '';
  const parts = [newer, ofLine, pin, reason ?? ''].filter((part) => part !== '');
  return parts.length === 0 ? '' : `: ${parts.join('; ')}`;
}

/** Lists the images pinned by a digest, each with the species that use it. */
export function pinsReport(images: readonly ImageFreshness[]): string {
  const pinned = images
    .filter((image) => image.pinned)
    .toSorted((a, b) => (a.image < b.image ? -1 : a.image > b.image ? 1 : 0));
  const byImage = Map.groupBy(pinned, ({ image }) => image);
  const lines = [...byImage].map(
    ([image, users]) => `${image}  ${[...new Set(users.map(({ species }) => species))].join(', ')}`,
  );
  return [...lines, `${byImage.size} images are pinned by a digest`, ''].join('\n');
}
