import type { Canonical, CanonicalComponent } from '@hortus/template/canonical/canonical-form';

/** The short name of an image with its tag: `ghost:5.130.2`. */
export function imageName(spec: Canonical, image: CanonicalComponent['image']): string {
  const { repository, tag } = typeof image === 'object' ? image : (spec.image ?? { repository: image, tag: undefined });
  const name = repository.split('/').at(-1) ?? repository;
  return tag === undefined ? name : `${name}:${tag}`;
}
