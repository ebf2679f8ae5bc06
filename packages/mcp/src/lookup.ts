import { type IdKind, idPattern } from '@hortus/contract/records/ids';
import type { Definition } from '@hortus/contract/resources/definition-records';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { Server } from '@hortus/contract/resources/server-records';
import type { Service } from './service.ts';
import { oneLine } from './text/untrusted.ts';
import { Refusal } from './tool.ts';

export const isId = (kind: IdKind, reference: string): boolean => new RegExp(idPattern(kind)).test(reference);

const PAGE = { per_page: 100 };

/** Finds an instance by its id, uid or name, or by the id of its definition. */
export async function findInstance(service: Service, reference: string): Promise<Instance> {
  if (isId('instance', reference)) return (await service.call('instances.read', { params: { id: reference } })).data;
  const filter = isId('definition', reference) ? { definition_id: reference } : { q: reference.slice(0, 64) };
  const { data } = await service.call('instances.list', { query: { ...filter, ...PAGE } });
  const living = data.filter(({ status }) => status !== 'released');
  const named = isId('definition', reference) ? living : exact(living, reference);
  return theOne('instance', reference, named, 'list_instances shows all. An app that was never deployed has none yet.');
}

/** Finds a definition by its id, uid or name, or by the id of its instance. */
export async function findDefinition(service: Service, reference: string): Promise<Definition> {
  if (isId('definition', reference))
    return (await service.call('definitions.read', { params: { id: reference } })).data;
  if (isId('instance', reference)) {
    const { definition_id } = (await service.call('instances.read', { params: { id: reference } })).data;
    return (await service.call('definitions.read', { params: { id: definition_id } })).data;
  }
  const { data } = await service.call('definitions.list', { query: { q: reference.slice(0, 64), ...PAGE } });
  const present = data.filter(({ status }) => status !== 'archived');
  return theOne('definition', reference, exact(present, reference), 'list_instances shows what is deployed.');
}

/** Finds a server by id or name; without one, the only server. */
export async function findServer(service: Service, reference: string | undefined): Promise<Server> {
  const { data } = await service.call('servers.list', { query: PAGE });
  if (reference !== undefined) {
    const fitting = data.filter(({ id, name }) => id === reference || name === reference);
    return theOne('server', reference, fitting, 'list_servers shows all.');
  }
  const [only, ...others] = data;
  if (only === undefined) throw new Refusal('server: no server is registered yet; a person registers one first.');
  // Its key was given to someone who would read the secrets; an older service does not say.
  if (others.length === 0 && only.trusted === false)
    throw new Refusal(`server: is required, because ${oneLine(only.name, 60)}, the only one, is not trusted.`);
  if (others.length === 0) return only;
  throw new Refusal(`server: is required; there are ${data.map(({ name }) => oneLine(name, 60)).join(', ')}.`);
}

/** Prefers uids, which are unique, to names. */
function exact<Thing extends { instance_uid: string; name: string }>(
  all: readonly Thing[],
  reference: string,
): Thing[] {
  const byUid = all.filter(({ instance_uid }) => instance_uid === reference);
  return byUid.length > 0 ? byUid : all.filter(({ name }) => name === reference);
}

function theOne<Thing extends { readonly id: string }>(
  what: string,
  reference: string,
  fitting: readonly Thing[],
  hint: string,
): Thing {
  const [thing, ...others] = fitting;
  if (thing === undefined) throw new Refusal(`${what}: there is no ${what} ${oneLine(reference, 80)}. ${hint}`);
  if (others.length === 0) return thing;
  throw new Refusal(`${what}: ${oneLine(reference, 80)} matches ${fitting.map(({ id }) => id).join(', ')}; use an id.`);
}
