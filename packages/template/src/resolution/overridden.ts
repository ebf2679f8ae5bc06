import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import type { Overrides } from '@hortus/contract/template/overrides';
import type { Problem } from '../problem.ts';
import { didYouMean } from '../schema/nearest.ts';

/** Applies what a definition sets instead of its template. The rules are those of templates. */
export function overridden(manifest: Manifest, overrides: Overrides): { manifest: Manifest; problems: Problem[] } {
  const names = manifest.components.map(({ name }) => name);
  const problems: Problem[] = Object.keys(overrides)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const meant = didYouMean(name, names);
      return { field: `overrides.${name}`, message: `there is no component ${name}${meant ? `; ${meant}` : ''}` };
    });
  const components = manifest.components.map((component): ManifestComponent => {
    const own = Object.hasOwn(overrides, component.name) ? overrides[component.name] : undefined;
    if (own === undefined) return component;
    const changed = { ...component, ...own };
    const field = `overrides.${component.name}`;
    problems.push(
      ...obstacles(changed, manifest).map((obstacle) => ({ ...obstacle, field: `${field}.${obstacle.field}` })),
    );
    return changed;
  });
  return { manifest: { ...manifest, components }, problems };
}

function obstacles(component: ManifestComponent, { backup }: Manifest): Problem[] {
  const { kind, replicas, ports, storage, on_node_loss } = component;
  const found: Problem[] = [];
  if (kind === 'job' && replicas > 1) found.push({ field: 'replicas', message: 'a job runs once' });
  if (kind === 'job' && on_node_loss !== undefined)
    found.push({ field: 'on_node_loss', message: 'a job does not keep running' });
  if (replicas > 1 && ports.some(({ host_port }) => host_port !== undefined))
    found.push({ field: 'replicas', message: 'only one replica can have a fixed port of the server' });
  if (on_node_loss === 'restore' && !storage.some(({ host_path }) => host_path === undefined))
    found.push({ field: 'on_node_loss', message: 'restore needs a volume' });
  if (on_node_loss === 'restore' && backup.strategy === 'none')
    found.push({ field: 'on_node_loss', message: 'restore needs a backup; the template makes none' });
  return found;
}
