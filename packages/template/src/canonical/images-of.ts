import type { ImageReference } from '@hortus/contract/template/image';
import { parseImage } from '../notation/image-reference.ts';
import type { Path } from '../source/finding.ts';
import type { Canonical } from './canonical-form.ts';

/** Yields every image that a template names, with its place: image, variants, components and actions. */
export function* imagesOf(spec: Canonical): Generator<[Path, ImageReference]> {
  if (spec.image !== undefined) {
    const { repository, variants, ...rest } = spec.image;
    if (variants.length === 0) yield [['image', 'tag'], { repository, ...rest }];
    for (const [index, { tag, digest, held = rest.held }] of variants.entries()) {
      const more = { ...(digest !== undefined && { digest }), ...(held !== undefined && { held }) };
      yield [['image', 'variants', index, 'tag'], { repository, tag, ...more }];
    }
  }
  for (const [name, { image }] of Object.entries(spec.components)) {
    if (typeof image === 'object') yield [['components', name, 'image'], image];
  }
  for (const [index, { image }] of spec.actions.entries()) {
    const named = typeof image === 'string' && !image.includes('${') ? parseImage(image) : image;
    if (typeof named === 'object') yield [['actions', index, 'image'], named];
  }
}
