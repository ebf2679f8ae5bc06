import type { Change } from '@hortus/contract/resources/upgrades';
import type { Canonical, CanonicalComponent, CanonicalPort, CanonicalStorage } from '../canonical/canonical-form.ts';
import { accessOf } from '../canonical/host-access.ts';
import { primaryImage, variantImage } from '../canonical/primary.ts';
import { imageText } from '../notation/image-reference.ts';
import { portText } from '../notation/port-ranges.ts';
import { differences, named } from './change.ts';

/** Parts of a component that have their own area. */
const ownAreas = ['image', 'env', 'storage', 'ports', 'files'] as const;

/** Returns added, removed and changed components, by their parts. */
export function componentChanges(from: Canonical, to: Canonical, variant: string | undefined): Change[] {
  const existence = differences(
    { area: 'component', component: null },
    mapped(from.components, ({ kind }) => kind),
    mapped(to.components, ({ kind }) => kind),
  );
  const both = Object.keys(from.components).filter((name) => Object.hasOwn(to.components, name));
  const parts = both.flatMap((name) => {
    const [before, after] = [from.components[name], to.components[name]] as [CanonicalComponent, CanonicalComponent];
    const image = { from: imageOf(from, before, variant), to: imageOf(to, after, variant) };
    return [
      ...differences({ area: 'image', component: name }, { image: image.from }, { image: image.to }),
      ...differences({ area: 'env', component: name }, before.env, after.env),
      ...differences({ area: 'volume', component: name }, volumes(before), volumes(after)),
      ...differences({ area: 'port', component: name }, ports(before), ports(after)),
      ...differences({ area: 'file', component: name }, files(before), files(after)),
      ...differences({ area: 'setting', component: name }, settings(before), settings(after)),
    ];
  });
  const reach = Object.entries(to.components).flatMap(([name, component]) =>
    differences({ area: 'permission', component: name }, access(from.components[name]), access(component)),
  );
  return [...existence, ...parts, ...reach];
}

export const volumes = ({ storage }: CanonicalComponent): Record<string, CanonicalStorage> =>
  named(storage, ({ name }) => name);

const ports = ({ ports: all }: CanonicalComponent): Record<string, CanonicalPort> =>
  named(all, (port) => `${portText(port)}/${port.protocol}`);

const files = (component: CanonicalComponent) => named(component.files, ({ mount_path }) => mount_path);

const settings = (component: CanonicalComponent): Record<string, unknown> =>
  Object.fromEntries(Object.entries(component).filter(([name]) => !(ownAreas as readonly string[]).includes(name)));

const access = (component: CanonicalComponent | undefined): Record<string, string> =>
  Object.fromEntries(
    (component ? accessOf(component) : []).map(({ kind, value }) => [
      value === undefined ? kind : `${kind} ${value}`,
      kind,
    ]),
  );

/** Returns the image in the chosen variant, or in the default one if the template does not have it any more. */
function imageOf(spec: Canonical, { image }: CanonicalComponent, variant: string | undefined): string {
  if (typeof image === 'object') return imageText(image);
  const own = primaryImage(spec);
  return own === undefined ? image : imageText(variantImage(own, variant) ?? variantImage(own) ?? own);
}

const mapped = <Value, Result>(record: Readonly<Record<string, Value>>, of: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]));
