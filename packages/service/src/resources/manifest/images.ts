import type { DeployedImage } from '@hortus/contract/resources/deployment-records';
import type { Manifest } from '@hortus/contract/template/manifest';
import { imageText, parseImage, registryOf } from '@hortus/template/notation/image-reference';
import { isMadeImage } from '@hortus/template/notation/made-images';
import type { Row } from '../../storage/tables.ts';

/** Lists the registries that a server must reach to run the manifest; none for images that it makes itself. */
export function registriesOf({ components, actions }: Manifest): string[] {
  const images = [...components.map(({ image }) => image), ...actions.flatMap(({ image }) => image ?? [])];
  return [...new Set(images.filter((image) => !isMadeImage(image)).map(registryOf))].sort();
}

const pinned: readonly Row<'deployments'>['kind'][] = ['rollback', 'heal', 'migrate', 'test'];

/** Rollbacks, heals, migrations and copies run the digests that ran before. A deploy test has none. */
export const pinsOf = ({ kind, images }: Pick<Row<'deployments'>, 'kind' | 'images'>): DeployedImage[] =>
  pinned.includes(kind) ? JSON.parse(images) : [];

/**
 * Pins each component to the digest that ran before, if known and the image is unchanged: a tag may point elsewhere
 * now. A digest in the template itself takes precedence.
 */
export function withPins(manifest: Manifest, pins: readonly DeployedImage[]): Manifest {
  if (pins.length === 0) return manifest;
  const components = manifest.components.map((component) => {
    const wanted = parseImage(component.image);
    const pin = pins.find((pin) => pin.component === component.name && pin.digest !== null);
    if (pin === undefined || wanted.digest !== undefined) return component;
    const { repository, tag } = parseImage(pin.image);
    if (repository !== wanted.repository || tag !== wanted.tag) return component;
    return { ...component, image: imageText({ ...wanted, digest: pin.digest as string }) };
  });
  return { ...manifest, components };
}
