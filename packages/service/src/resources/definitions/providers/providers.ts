import type { Connection, Provider } from '@hortus/contract/resources/connections';
import { meets } from '@hortus/template/resolution/needs';
import { conflict } from '../../../problem.ts';
import { type Page, type PageRequest, slice } from '../../../storage/page.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Catalog } from '../../templates/public.ts';
import { bindingsOf } from '../bindings.ts';
import { revisionOf } from '../deployable.ts';
import { type DefinitionRow, findDefinition } from '../store.ts';
import { type BoundRow, boundTo, templatesInUse, unarchivedOf } from './store.ts';

const MAX = 100;

/** Returns the definitions whose current revision is bound to these connections or definitions, by the id of the target. */
export async function usedBy(
  queries: Queries,
  targets: readonly string[],
): Promise<ReadonlyMap<string, Connection['used_by']>> {
  const found = Map.groupBy(await boundTo(queries, targets, MAX), ({ target_id }) => target_id);
  return new Map(targets.map((target) => [target, (found.get(target) ?? []).map(userOf)]));
}

const userOf = ({ id, instance_uid, need }: BoundRow) => ({ definition_id: id, instance_uid, need });

/** Refuses to take away a definition that others are bound to, except those in `going`, which end with it. */
export async function requireUnbound(
  tx: Tx,
  id: string,
  doing: string,
  going: ReadonlySet<string> = new Set(),
): Promise<void> {
  const bound = (await boundTo(tx, [id], MAX)).filter((bound) => !going.has(bound.id));
  if (bound.length === 0) return;
  const names = [...new Set(bound.map(({ instance_uid }) => instance_uid))];
  const used_by = bound.map(userOf);
  throw conflict('id', 'in_use', `${names.join(', ')} is bound to it; bind it to something else before ${doing}.`, {
    used_by,
  });
}

/** Returns the names of the instances on the same server that a definition is bound to, or that are bound to it. */
export async function tiesOf(
  queries: Queries,
  { id, account_id, server_id, current_revision }: DefinitionRow,
): Promise<string[]> {
  const names = (await boundTo(queries, [id], MAX))
    .filter((bound) => bound.server_id === server_id)
    .map((bound) => bound.instance_uid);
  for (const { definition_id } of Object.values(bindingsOf(await revisionOf(queries, id, current_revision)))) {
    const provider = definition_id === undefined ? undefined : await findDefinition(queries, account_id, definition_id);
    if (provider?.server_id === server_id) names.push(provider.instance_uid);
  }
  return [...new Set(names)];
}

/** Lists the definitions of an account whose template provides a class, or any, newest first. */
export async function listProviders(
  queries: Queries,
  catalog: Pick<Catalog, 'known'>,
  accountId: string,
  needed: string | undefined,
  request: PageRequest,
): Promise<Page<Provider>> {
  const classes = new Map<string, string>();
  for (const id of await templatesInUse(queries, accountId)) {
    const { provides } = catalog.known(id).spec;
    const provision = needed === undefined ? provides[0] : provides.find((provide) => meets(provide.class, needed));
    if (provision) classes.set(id, provision.class);
  }
  const rows = await unarchivedOf(queries, accountId, [...classes.keys()]);
  return slice(
    rows.map((row) => ({
      definition_id: row.id,
      instance_uid: row.instance_uid,
      name: row.name,
      species: catalog.known(row.template_id).item.species,
      server_id: row.server_id,
      class: classes.get(row.template_id) ?? '',
    })),
    request,
  );
}
