import type { DeployedImage } from '@hortus/contract/resources/deployments';
import type { Manifest } from '@hortus/contract/template/manifest';
import { imageText, parseImage, registryOf } from '@hortus/template/image-reference';
import type { Row } from '../../storage/tables.ts';

/** The registries that a server must reach to run this. */
export function registriesOf({ components, actions }: Manifest): string[] {
  const images = [...components.map(({ image }) => image), ...actions.flatMap(({ image }) => image ?? [])];
  return [...new Set(images.map(registryOf))].sort();
}

const pinned: readonly Row<'deployments'>['kind'][] = ['rollback', 'heal', 'migrate'];

/** What goes back, heals or moves runs the bytes that ran. */
export const pinsOf = ({ kind, images }: Pick<Row<'deployments'>, 'kind' | 'images'>): DeployedImage[] =>
  pinned.includes(kind) ? JSON.parse(images) : [];

/**
 * With the bytes that ran before, where they are known and the image is still the same: a tag may mean others by now. A
 * digest that the template names itself stays.
 */
export function withPins(manifest: Manifest, pins: readonly DeployedImage[]): Manifest {
  if (pins.length === 0) return manifest;
  const components = manifest.components.map((component) => {
    const wanted = parseImage(component.image);
    const pin = pins.find((one) => one.component === component.name && one.digest !== null);
    if (pin === undefined || wanted.digest !== undefined) return component;
    const { repository, tag } = parseImage(pin.image);
    if (repository !== wanted.repository || tag !== wanted.tag) return component;
    return { ...component, image: imageText({ ...wanted, digest: pin.digest as string }) };
  });
  return { ...manifest, components };
}
