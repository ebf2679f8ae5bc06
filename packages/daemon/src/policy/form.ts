import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { isImageReference } from '../engine/docker/image-reference.ts';
import { isPlainPath } from './host-paths.ts';
import { COMPONENT_NAME, INSTANCE_UID, type Refusal } from './policy.ts';
import { refuseRoute, refuseSettings } from './settings-form.ts';

/**
 * What no policy can allow, because it would reach past the instance itself: names that are paths, paths that climb,
 * volumes and labels of somebody else. The service never makes such a manifest; one that took it over might.
 */
export function refuseForm(manifest: Manifest): Refusal[] {
  const refusals: Refusal[] = [];
  const say = (rule: string, component: string | undefined, message: string) =>
    refusals.push({ rule, component, message });
  const { uid } = manifest.instance;
  if (!INSTANCE_UID.test(uid)) say('names', undefined, `${JSON.stringify(uid)} cannot be the name of an instance`);
  if (manifest.components.length === 0) say('components', undefined, 'there is nothing to run');
  const seen = new Set<string>();
  for (const component of manifest.components) {
    const { name } = component;
    if (!COMPONENT_NAME.test(name)) say('names', name, `${JSON.stringify(name)} cannot be the name of a component`);
    if (seen.has(name)) say('names', name, `there are two components ${name}`);
    seen.add(name);
    for (const message of refuseComponent(component, uid)) say('form', name, message);
    for (const message of refuseSettings(component)) say('form', name, message);
  }
  for (const route of manifest.routes) {
    for (const message of refuseRoute(route)) say('routes', undefined, message);
    if (!seen.has(route.component)) say('routes', undefined, `the route ${route.name} leads to no component`);
  }
  for (const { slug, component, image } of manifest.actions) {
    if (!seen.has(component)) say('actions', undefined, `the action ${JSON.stringify(slug)} has no component`);
    if (image !== undefined && !isImageReference(image)) {
      say('actions', component, `${JSON.stringify(image)} is not an image`);
    }
  }
  return refusals;
}

function* refuseComponent(component: ManifestComponent, uid: string): Generator<string> {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,252}$/.test(component.host)) {
    yield `${JSON.stringify(component.host)} cannot be a name in a network`;
  }
  for (const { mount_path, mode } of component.files) {
    if (!isPlainPath(mount_path) || mount_path === '/') yield `a file cannot be put at ${JSON.stringify(mount_path)}`;
    if (!/^[0-7]{3,4}$/.test(mode)) yield `${JSON.stringify(mode)} is not the mode of a file`;
  }
  for (const { mount_path, volume, host_path } of component.storage) {
    if (!isPlainPath(mount_path) || mount_path === '/') yield `nothing can be mounted at ${JSON.stringify(mount_path)}`;
    if ((volume === undefined) === (host_path === undefined))
      yield `${mount_path} needs a volume or a path of the server`;
    if (volume !== undefined && !isVolumeOf(uid, volume)) {
      yield `${JSON.stringify(volume)} cannot be a volume of this instance`;
    }
    if (host_path !== undefined && !isPlainPath(host_path)) yield `${JSON.stringify(host_path)} is not a plain path`;
  }
  for (const { mount_path } of component.tmpfs) {
    if (!isPlainPath(mount_path) || mount_path === '/') yield `nothing can be mounted at ${JSON.stringify(mount_path)}`;
  }
  for (const label of Object.keys(component.labels)) {
    if (label === 'hortus' || label.startsWith('hortus.')) yield `the label ${label} is kept for the daemon`;
  }
  for (const name of Object.keys(component.env)) {
    if (name === '' || /[=\0]/.test(name)) yield `${JSON.stringify(name)} cannot be the name of a variable`;
  }
}

const isVolumeOf = (uid: string, volume: string): boolean =>
  volume.startsWith(`${uid}_`) && /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(volume);
