import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { isImageReference } from '../engine/docker/image-reference.ts';
import { isPlainPath } from './host-paths.ts';
import { COMPONENT_NAME, INSTANCE_UID, type Refusal } from './policy.ts';
import { refuseRoute, refuseSettings } from './settings-form.ts';

/**
 * Finds what no policy can allow because it would reach beyond the instance: names that are paths, path traversal,
 * volumes and labels of other instances. The service never builds such a manifest, but an attacker who controls it
 * might.
 */
export function refuseForm(manifest: Manifest): Refusal[] {
  const refusals: Refusal[] = [];
  const say = (rule: string, component: string | undefined, message: string) =>
    refusals.push({ rule, component, message });
  const { uid } = manifest.instance;
  if (!INSTANCE_UID.test(uid)) say('names', undefined, `${JSON.stringify(uid)} is not a valid instance name`);
  if (manifest.components.length === 0) say('components', undefined, 'the manifest has no components');
  const seen = new Set<string>();
  for (const component of manifest.components) {
    const { name } = component;
    if (!COMPONENT_NAME.test(name)) say('names', name, `${JSON.stringify(name)} is not a valid component name`);
    if (seen.has(name)) say('names', name, `the component ${name} is declared twice`);
    seen.add(name);
    for (const message of refuseComponent(component, uid)) say('form', name, message);
    for (const message of refuseSettings(component)) say('form', name, message);
  }
  for (const route of manifest.routes) {
    for (const message of refuseRoute(route)) say('routes', undefined, message);
    if (!seen.has(route.component))
      say('routes', undefined, `the route ${route.name} points to a component that does not exist`);
  }
  for (const { slug, component, image } of manifest.actions) {
    if (!seen.has(component))
      say('actions', undefined, `the action ${JSON.stringify(slug)} refers to a component that does not exist`);
    if (image !== undefined && !isImageReference(image)) {
      say('actions', component, `${JSON.stringify(image)} is not a valid image reference`);
    }
  }
  return refusals;
}

function* refuseComponent(component: ManifestComponent, uid: string): Generator<string> {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,252}$/.test(component.host)) {
    yield `${JSON.stringify(component.host)} is not a valid network alias`;
  }
  for (const { mount_path, mode } of component.files) {
    if (!isPlainPath(mount_path) || mount_path === '/')
      yield `${JSON.stringify(mount_path)} is not a valid path for a file`;
    if (!/^[0-7]{3,4}$/.test(mode)) yield `${JSON.stringify(mode)} is not a valid file mode`;
  }
  for (const { mount_path, volume, host_path } of component.storage) {
    if (!isPlainPath(mount_path) || mount_path === '/') yield `${JSON.stringify(mount_path)} is not a valid mount path`;
    if ((volume === undefined) === (host_path === undefined))
      yield `${mount_path} needs either a volume or a host path`;
    if (volume !== undefined && !isVolumeOf(uid, volume)) {
      yield `${JSON.stringify(volume)} is not a volume of this instance`;
    }
    if (host_path !== undefined && !isPlainPath(host_path))
      yield `${JSON.stringify(host_path)} is not an absolute path without . and ..`;
  }
  for (const { mount_path } of component.tmpfs) {
    if (!isPlainPath(mount_path) || mount_path === '/') yield `${JSON.stringify(mount_path)} is not a valid mount path`;
  }
  for (const label of Object.keys(component.labels)) {
    if (label === 'hortus' || label.startsWith('hortus.')) yield `the label ${label} is reserved for the daemon`;
  }
  for (const name of Object.keys(component.env)) {
    if (name === '' || /[=\0]/.test(name)) yield `${JSON.stringify(name)} is not a valid variable name`;
  }
}

const isVolumeOf = (uid: string, volume: string): boolean =>
  volume.startsWith(`${uid}_`) && /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(volume);
