import { namePattern } from '@hortus/contract/fields';

const suffix = '.next';

/** With room for what is put behind: a name that breaks the rule must not reach an engine's path or a label filter. */
const LONGEST = 100;
const safe = new RegExp(namePattern);

export function isSafeName(name: string): boolean {
  return name.length <= LONGEST && safe.test(name);
}

/** The lasting name of a container. A dot cannot be in a component's name, so that names never meet. */
export function containerName(uid: string, component: string, replica: number, primary: boolean): string {
  const name = primary ? uid : `${uid}-${component}`;
  return replica === 1 ? name : `${name}.${replica}`;
}

/** The name until the rollout has succeeded: the lasting name itself says "this one was healthy and serves". */
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

/** Sorts behind the network of the instance, so that joining it changes no container's way to the outside. */
export function homeName(uid: string, deploymentId: string): string {
  return `${networkName(uid)}.${deploymentId}`;
}
