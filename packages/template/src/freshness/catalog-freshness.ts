import type { Held } from '@hortus/contract/template/image';
import type { Canonical } from '../canonical/canonical-form.ts';
import { imagesOf } from '../canonical/images-of.ts';
import { imageText } from '../notation/image-reference.ts';
import { isMadeImage } from '../notation/made-images.ts';
import { pathText } from '../source/finding.ts';
import { type Judgement, judgeImage } from './judge-image.ts';
import type { VersionTable } from './version-table.ts';

export interface ImageFreshness extends Judgement {
  readonly species: string;
  /** Place in the template, such as components.db.image. */
  readonly path: string;
  readonly image: string;
  readonly pinned: boolean;
  readonly held: Held | undefined;
}

/** Judges every image of a catalog that a registry has, in its order. */
export function catalogFreshness(
  catalog: Iterable<{ readonly species: string; readonly spec: Canonical }>,
  table: VersionTable,
): ImageFreshness[] {
  return [...catalog].flatMap(({ species, spec }) =>
    [...imagesOf(spec)]
      .filter(([, { repository }]) => !isMadeImage(repository))
      .map(([path, image]) => ({
        species,
        path: pathText(path),
        image: imageText(image),
        pinned: image.digest !== undefined,
        held: image.held,
        ...judgeImage(image, table),
      })),
  );
}

/** Images that a release must deal with: they are behind, or lack a known digest, without a stated reason. */
export const isOpen = ({ verdict }: ImageFreshness): boolean => verdict === 'behind' || verdict === 'unpinned';
