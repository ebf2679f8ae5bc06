import { namePattern } from '@hortus/contract/records/fields';

const suffix = '.next';

/** Leaves room for suffixes. An unsafe name must not reach a path of the engine or a label filter. */
const MAX_LENGTH = 100;
const safe = new RegExp(namePattern);

export function isSafeName(name: string): boolean {
  return name.length <= MAX_LENGTH && safe.test(name);
}

/** Final name of a container. Component names contain no dot, so names cannot collide. */
export function containerName(uid: string, component: string, replica: number, primary: boolean): string {
  const name = primary ? uid : `${uid}-${component}`;
  return replica === 1 ? name : `${name}.${replica}`;
}

/** Name until the rollout succeeds; a container with its final name was healthy and serves. */
export function nextName(name: string): string {
  return `${name}${suffix}`;
}

export function isNextName(name: string): boolean {
  return name.endsWith(suffix);
}

export function lastingName(name: string): string {
  return isNextName(name) ? name.slice(0, -suffix.length) : name;
}

export function networkName(uid: string): string {
  return `hortus-${uid}`;
}

/** Sorts after the instance's network, so that joining it does not change the default gateway of a container. */
export function homeName(uid: string, deploymentId: string): string {
  return `${networkName(uid)}.${deploymentId}`;
}

/**
 * Network between an instance and one component of another instance that it uses. Sorts after the networks of instances,
 * so that joining it does not change the default gateway of a container.
 */
export function linkName(uid: string, { instance, component }: { instance: string; component: string }): string {
  return `${LINK_PREFIX}${uid}.${instance}.${component}`;
}

export function isLinkName(network: string): boolean {
  return network.startsWith(LINK_PREFIX);
}

const LINK_PREFIX = 'hortus.link.';
