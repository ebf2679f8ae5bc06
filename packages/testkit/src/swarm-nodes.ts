// Namespaces of Swarm nodes on this machine: a hub with a bridge and the registry, and a network for each node.
import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { ignoringFailure, system } from './engine-remains.ts';

const prefix = 'hortus-swarm-';
const namespaces = '/run/netns';
const controlGroups = '/sys/fs/cgroup';

/** Address of the hub. Nothing outside the namespaces sees these addresses, so every Swarm uses the same ones. */
export const hubAddress = '10.77.0.1';

export const hubName = (owner: number): string => `${prefix}${owner}`;
export const nodeNamespace = (owner: number, node: number): string => `${hubName(owner)}-${node}`;
export const nodeAddress = (node: number): string => `10.77.0.${10 + node}`;
export const namespacePath = (name: string): string => join(namespaces, name);

/** Creates the network of a Swarm owned by this process. */
export function createNetworks(owner: number, nodes: number): void {
  mkdirSync(namespaces, { recursive: true });
  const hub = hubName(owner);
  ip('netns', 'add', hub);
  ip('-n', hub, 'link', 'set', 'lo', 'up');
  ip('-n', hub, 'link', 'add', 'br0', 'type', 'bridge');
  ip('-n', hub, 'addr', 'add', `${hubAddress}/24`, 'dev', 'br0');
  ip('-n', hub, 'link', 'set', 'br0', 'up');
  for (let node = 1; node <= nodes; node++) {
    const name = nodeNamespace(owner, node);
    ip('netns', 'add', name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
    ip('-n', hub, 'link', 'add', `v${node}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('-n', hub, 'link', 'set', `v${node}`, 'master', 'br0', 'up');
    ip('-n', name, 'addr', 'add', `${nodeAddress(node)}/24`, 'dev', 'eth0');
    ip('-n', name, 'link', 'set', 'eth0', 'up');
    ip('-n', name, 'route', 'add', 'default', 'via', hubAddress);
  }
}

/** Removes the namespaces and control groups of a Swarm whose processes have ended. */
export function removeNetworks(owner: number): void {
  const mine = (name: string) => name === hubName(owner) || name.startsWith(`${hubName(owner)}-`);
  for (const name of listed(namespaces).filter(mine)) ignoringFailure(() => ip('netns', 'delete', name));
  for (const parent of ['.', ...listed(controlGroups)]) {
    const groups = join(controlGroups, parent);
    for (const name of listed(groups).filter(mine)) removeGroup(join(groups, name));
  }
}

/** Removes what killed keepers left behind. */
export function removeAbandonedNetworks(): void {
  for (const name of listed(namespaces)) {
    const owner = new RegExp(`^${prefix}(\\d+)$`).exec(name)?.[1];
    if (owner !== undefined && !listed('/proc').includes(owner)) removeNetworks(Number(owner));
  }
}

/** A control group is removed from the innermost folder on; its files cannot be. */
function removeGroup(path: string): void {
  for (const entry of foldersIn(path)) removeGroup(join(path, entry));
  ignoringFailure(() => rmdirSync(path));
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));
  } catch {
    return [];
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const ip = (...args: string[]): void => system('ip', ...args);
