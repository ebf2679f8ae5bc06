import { createClient } from '@hortus/client/client';
import type { NetworkUsage } from '@hortus/contract/records/network-usage';
import type { Neighbour } from '@hortus/contract/resources/overview';
import { failureOf } from '../failure.ts';
import { isNearlyFull, roomForNetworks } from '../output/room-for-networks.ts';
import { count, lasting } from '../output/words.ts';
import { readableByOthers } from '../settings/config-file.ts';
import type { Settings } from '../settings/settings.ts';
import type { World } from '../world/world.ts';
import { askDocker } from './docker-engine.ts';

export interface Finding {
  readonly check: string;
  /** A note does not fail the command. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly said: string;
}

/** Minimum Node versions that run TypeScript directly. */
export function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
  return enough
    ? { check: 'node', state: 'ok', said: `Node ${version}.` }
    : { check: 'node', state: 'problem', said: `Node ${version} is too old: 22.18 or later is needed.` };
}

export async function configFinding({ path, context, url, key, keyFrom }: Settings): Promise<Finding> {
  const check = 'config';
  if (await readableByOthers(path)) {
    return { check, state: 'problem', said: `Others can read the keys in ${path}: chmod 600 it.` };
  }
  if (key === undefined) return { check, state: 'problem', said: `No key for ${url}: sign in with hortus login.` };
  const from = keyFrom === 'environment' ? 'HORTUS_KEY' : `the context ${context}`;
  return { check, state: 'ok', said: `${url}, with the key of ${from}.` };
}

/** Maximum clock difference before signatures and displayed times become wrong. */
const skewAllowed = 10_000;

/** Checks the service, its clock, the key and the servers. */
export async function* serviceFindings(world: World, { url, key }: Settings): AsyncGenerator<Finding> {
  const service = createClient({ baseUrl: url, key, retries: { attempts: 1 }, timeoutMs: 5000 });
  const problem = (check: string, error: unknown): Finding => {
    const failure = failureOf(error, url);
    if (failure === undefined) throw error;
    return { check, state: 'problem', said: failure.message };
  };
  try {
    const asked = world.now();
    const health = await service.call('health.read');
    const responded = world.now();
    yield {
      check: 'service',
      state: 'ok',
      said: `Hortus ${health.version} answers in ${Math.round(responded - asked)} ms.`,
    };
    const ahead = (asked + responded) / 2 - Date.parse(health.timestamp);
    yield Math.abs(ahead) <= skewAllowed
      ? { check: 'clock', state: 'ok', said: 'The clocks are in sync.' }
      : {
          check: 'clock',
          state: 'problem',
          said: `The clock of this machine is ${lasting(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the service.`,
        };
  } catch (error) {
    yield problem('service', error);
    return;
  }
  if (key === undefined) return;
  try {
    const { account, permissions } = (await service.call('account.read')).data;
    const may = permissions.includes('admin') ? 'every permission' : count(permissions.length, 'permission');
    yield { check: 'key', state: 'ok', said: `The key belongs to ${account.name} and has ${may}.` };
  } catch (error) {
    yield problem('key', error);
    return;
  }
  try {
    const servers = await Array.fromAsync(service.pages('servers.list'));
    const away = servers.filter(({ status }) => status !== 'online').map(({ name, status }) => `${name} is ${status}`);
    if (servers.length === 0) yield { check: 'servers', state: 'note', said: 'No server is registered yet.' };
    else if (away.length > 0) yield { check: 'servers', state: 'note', said: `${away.join(', ')}.` };
    else yield { check: 'servers', state: 'ok', said: `${count(servers.length, 'server')} online.` };
    for (const { name, networks } of servers) if (networks) yield networkFinding(name, networks);
    const { neighbours } = (await service.call('overview.read')).data;
    // Missing in older services, null without the permission.
    if (neighbours) yield* hostFindings(neighbours);
  } catch (error) {
    yield problem('servers', error);
  }
}

/** Names applications whose address has the host name of the console. */
export function* hostFindings(neighbours: readonly Neighbour[]): Generator<Finding> {
  const check = 'hosts';
  if (neighbours.length === 0)
    yield { check, state: 'ok', said: 'No application shares the host name of the console.' };
  for (const { name, addresses } of neighbours)
    yield {
      check,
      state: 'note',
      said: `${name} (${addresses.join(', ')}) shares the host name of the console, so browsers send it the cookie of the console. Give the application or the console a host name of its own.`,
    };
}

function networkFinding(server: string, networks: NetworkUsage): Finding {
  const [check, room] = ['networks', `Networks on ${server}: ${roomForNetworks(networks)}.`];
  if (networks.free === 0)
    return { check, state: 'problem', said: `${room} Release instances, or set a larger HORTUS_NETWORK_POOL there.` };
  return { check, state: isNearlyFull(networks) ? 'note' : 'ok', said: room };
}

/** A missing engine is only a note, because only servers need one. */
export async function dockerFinding({ env }: World): Promise<Finding> {
  const { socket, version, trouble } = await askDocker(env);
  return version !== undefined
    ? { check: 'docker', state: 'ok', said: `Docker ${version} answers on ${socket}.` }
    : { check: 'docker', state: 'note', said: `No Docker engine on this machine (${trouble}). Only servers need one.` };
}
