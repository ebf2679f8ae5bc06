import { expect } from 'vitest';
import type { ThreeServers } from './three-servers.ts';

const SERVERS = ['attic', 'barn', 'cellar'];
export const NUMBER = 30;
const uids = Array.from({ length: NUMBER }, (_, index) => `leaf-${String(index).padStart(2, '0')}`);
const serverOf = (index: number): string => SERVERS[index % SERVERS.length] ?? '';

/** Writes a garden of 30 definitions on three servers; every third needs the one before it. */
export function thirtyLeaves(inputs: Readonly<Record<string, object>> = {}): string {
  const definitions = uids.map((uid, index) => [
    uid,
    {
      species: 'leaf',
      server: serverOf(index),
      watch_seconds: 0,
      inputs: { GREETING: `I am ${uid}`, ...inputs[uid] },
      ...(index % 3 === 2 && { needs: [uids[index - 1]] }),
    },
  ]);
  // JSON is YAML too.
  return JSON.stringify({ name: 'home', definitions: Object.fromEntries(definitions) }, null, 2);
}

export const allDeployments = async ({ service }: ThreeServers) =>
  await Array.fromAsync(service.client.pages('deployments.list', { query: { per_page: 100 } }));

export const succeededDeployments = async (all: ThreeServers): Promise<number> =>
  (await allDeployments(all)).filter(({ status }) => status === 'success').length;

/** Returns the ids of the containers of each definition, read from the engine itself. */
export async function containersByUid({ servers }: ThreeServers): Promise<Record<string, string[]>> {
  const engine = servers[0]?.engine;
  const entries = uids.map(async (uid) => {
    const found = (await engine?.containers({ labels: { 'hortus.instance': uid } })) ?? [];
    return [uid, found.map(({ id }) => id)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Expects exactly what the file says, each definition deployed once; returns the containers. */
export async function expectEachOnce(all: ThreeServers): Promise<Record<string, string[]>> {
  const { data } = await all.service.client.call('definitions.list', { query: { per_page: 100 } });
  const names = new Map(all.servers.map(({ serverId, name }) => [serverId, name]));
  const made = data.map(({ instance_uid, server_id, inputs, current_revision, status }) => [
    ...[instance_uid, names.get(server_id), inputs.GREETING, current_revision, status],
  ]);
  expect(made.sort()).toEqual(uids.map((uid, index) => [uid, serverOf(index), `I am ${uid}`, 1, 'active']));
  const deployments = await allDeployments(all);
  expect(deployments.map(({ status }) => status)).toEqual(Array(NUMBER).fill('success'));
  expect(new Set(deployments.map(({ definition_id }) => definition_id)).size).toBe(NUMBER);
  const containers = await containersByUid(all);
  for (const uid of uids) expect(containers[uid], uid).toHaveLength(1);
  return containers;
}
