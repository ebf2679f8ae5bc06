import { type IdKind, idPattern } from '@hortus/contract/ids';
import type { Definition } from '@hortus/contract/resources/definition-records';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { Server } from '@hortus/contract/resources/server-records';
import type { Service } from './service.ts';
import { oneLine } from './text/untrusted.ts';
import { Refusal } from './tool.ts';

export const isId = (kind: IdKind, given: string): boolean => new RegExp(idPattern(kind)).test(given);

const PAGE = { per_page: 100 };

/** Finds an instance by its id, uid or name, or by the id of its definition. */
export async function findInstance(service: Service, given: string): Promise<Instance> {
  if (isId('instance', given)) return (await service.call('instances.read', { params: { id: given } })).data;
  const filter = isId('definition', given) ? { definition_id: given } : { q: given.slice(0, 64) };
  const { data } = await service.call('instances.list', { query: { ...filter, ...PAGE } });
  const living = data.filter(({ status }) => status !== 'released');
  const named = isId('definition', given) ? living : exact(living, given);
  return theOne('instance', given, named, 'list_instances shows all. An app that was never deployed has none yet.');
}

/** Finds a definition by its id, uid or name, or by the id of its instance. */
export async function findDefinition(service: Service, given: string): Promise<Definition> {
  if (isId('definition', given)) return (await service.call('definitions.read', { params: { id: given } })).data;
  if (isId('instance', given)) {
    const { definition_id } = (await service.call('instances.read', { params: { id: given } })).data;
    return (await service.call('definitions.read', { params: { id: definition_id } })).data;
  }
  const { data } = await service.call('definitions.list', { query: { q: given.slice(0, 64), ...PAGE } });
  const present = data.filter(({ status }) => status !== 'archived');
  return theOne('definition', given, exact(present, given), 'list_instances shows what is deployed.');
}

/** Finds a server by id or name; without one, the only server. */
export async function findServer(service: Service, given: string | undefined): Promise<Server> {
  const { data } = await service.call('servers.list', { query: PAGE });
  if (given !== undefined) {
    const fitting = data.filter(({ id, name }) => id === given || name === given);
    return theOne('server', given, fitting, 'list_servers shows all.');
  }
  const [only, ...others] = data;
  if (only === undefined) throw new Refusal('server: no server is registered yet; a person registers one first.');
  if (others.length === 0) return only;
  throw new Refusal(`server: is required; there are ${data.map(({ name }) => oneLine(name, 60)).join(', ')}.`);
}

/** Prefers uids, which are unique, to names. */
function exact<Thing extends { instance_uid: string; name: string }>(all: readonly Thing[], given: string): Thing[] {
  const byUid = all.filter(({ instance_uid }) => instance_uid === given);
  return byUid.length > 0 ? byUid : all.filter(({ name }) => name === given);
}

function theOne<Thing extends { readonly id: string }>(
  what: string,
  given: string,
  fitting: readonly Thing[],
  hint: string,
): Thing {
  const [one, ...others] = fitting;
  if (one === undefined) throw new Refusal(`${what}: there is no ${what} ${oneLine(given, 80)}. ${hint}`);
  if (others.length === 0) return one;
  throw new Refusal(`${what}: ${oneLine(given, 80)} matches ${fitting.map(({ id }) => id).join(', ')}; use an id.`);
}
