import type { ImageReference } from '@hortus/contract/template/image';
import { imageText } from '../notation/image-reference.ts';
import type { Canonical, CanonicalComponent, CanonicalImage } from './canonical-form.ts';

/** Returns the main component: the target of the primary route, otherwise the first service. */
export function primaryComponent(spec: Canonical): [name: string, component: CanonicalComponent] | undefined {
  const routed = spec.routes.find((route) => route.primary)?.component;
  const components = Object.entries(spec.components);
  return (
    components.find(([name]) => name === routed) ??
    components.find(([, component]) => component.kind === 'service') ??
    components[0]
  );
}

/** Returns the image of the template, which may be declared only at its primary component. */
export function primaryImage(spec: Canonical): CanonicalImage | undefined {
  if (spec.image !== undefined) return spec.image;
  const image = primaryComponent(spec)?.[1].image;
  return typeof image === 'object' ? { ...image, variants: [] } : undefined;
}

/** Returns the template's image in a variant, by default the default one. Undefined for an unknown variant. */
export function variantImage(image: CanonicalImage, variant?: string): ImageReference | undefined {
  const { repository, tag, digest, variants } = image;
  const chosen = variants.find((v) => (variant === undefined ? v.default : v.id === variant));
  if (chosen !== undefined) {
    const pinned = chosen.digest ?? (chosen.tag === tag ? digest : undefined);
    return { repository, tag: chosen.tag, ...(pinned === undefined ? {} : { digest: pinned }) };
  }
  if (variant !== undefined) return undefined;
  return { repository, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
}

export function primaryImageText(spec: Canonical): string {
  const image = primaryImage(spec);
  return image === undefined ? '' : imageText(variantImage(image) ?? image);
}
