import { requiredAttributes } from '@hortus/contract/resources/connection-classes';
import type { Binding } from '@hortus/contract/resources/definition-records';
import type { BindingWish } from '@hortus/contract/resources/definitions';
import { withProfile } from '@hortus/template/canonical/canonical';
import { internalAttributes, meets, usageOf } from '@hortus/template/resolution/needs';
import { type Principal, requirePermission } from '../../identity/principal.ts';
import { conflict, invalid } from '../../problem.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { findConnection, lockConnection } from '../connections/public.ts';
import { requireTrustedServer } from '../servers/public.ts';
import type { Catalog, CatalogTemplate } from '../templates/public.ts';
import { findUnarchived, lockDefinition, type RevisionRow } from './store.ts';

/** Bindings of a revision, by the name of the need. */
export type Bindings = Readonly<Record<string, Binding>>;

export const bindingsOf = ({ bindings }: Pick<RevisionRow, 'bindings'>): Bindings =>
  bindings === null ? {} : JSON.parse(bindings);

export const bindingsColumn = (bindings: Bindings): string | null =>
  Object.keys(bindings).length === 0 ? null : JSON.stringify(bindings);

/** The definition whose needs are bound. */
export interface Bound {
  readonly template: CatalogTemplate;
  readonly profile: string;
  readonly serverId: string;
  readonly tenantId: string | null;
  readonly instanceUid: string;
}

/** Reads the wishes of a request and merges them into the bindings before; a need that the template lost is dropped. */
export async function readBindings(
  queries: Queries,
  catalog: Pick<Catalog, 'known'>,
  principal: Principal,
  bound: Bound,
  wishes: Readonly<Record<string, BindingWish | null>> | undefined,
  before: Bindings = {},
): Promise<Bindings> {
  const { needs } = bound.template.spec;
  const merged = new Map(Object.entries(before).filter(([need]) => needs.some(({ as }) => as === need)));
  for (const [name, wish] of Object.entries(wishes ?? {})) {
    const field = `bindings.${name}`;
    const need = needs.find(({ as }) => as === name);
    if (need === undefined) {
      const known = needs.map(({ as }) => as).join(', ');
      const hint = known === '' ? 'the template has no needs' : `the template has no such need; it has ${known}`;
      throw invalid(field, `${hint}.`, { reason: 'unknown' });
    }
    if (wish === null) {
      merged.delete(name);
      continue;
    }
    if ((wish.instance === undefined) === (wish.connection === undefined))
      throw invalid(field, 'give either instance or connection.');
    await requireTrustedServer(queries, principal, bound.serverId);
    const { instance, connection } = wish;
    merged.set(
      name,
      instance !== undefined
        ? await toInstance(queries, catalog, principal, bound, { field, name, class: need.class, uid: instance })
        : await toConnection(queries, principal, { field, class: need.class, id: connection ?? '' }),
    );
  }
  return Object.fromEntries(merged);
}

async function toConnection(
  queries: Queries,
  principal: Principal,
  { field, class: needed, id }: { readonly field: string; readonly class: string; readonly id: string },
): Promise<Binding> {
  requirePermission(principal, 'connections:read');
  const row = await findConnection(queries, principal.accountId, id);
  if (!row) throw invalid(field, 'there is no such connection.', { reason: 'unknown' });
  if (!meets(row.class, needed))
    throw conflict(
      field,
      'other_class',
      `needs ${needed}, and the connection ${row.name} is of the class ${row.class}.`,
    );
  return { connection: row.id };
}

interface Wanted {
  readonly field: string;
  /** Name of the need. */
  readonly name: string;
  readonly class: string;
  readonly uid: string;
}

async function toInstance(
  queries: Queries,
  catalog: Pick<Catalog, 'known'>,
  principal: Principal,
  bound: Bound,
  { field, name, class: needed, uid }: Wanted,
): Promise<Binding> {
  requirePermission(principal, 'instances:read');
  const provider = await findUnarchived(queries, principal.accountId, uid);
  // A tenant must not reach into another one, nor learn what it has.
  const isForeign = provider && provider.tenant_id !== null && provider.tenant_id !== bound.tenantId;
  if (!provider || provider.test_id !== null || isForeign)
    throw invalid(field, `there is no instance ${uid} that it may use.`, { reason: 'unknown' });
  if (uid === bound.instanceUid) throw invalid(field, 'an instance cannot meet its own need.');
  const { spec } = catalog.known(provider.template_id);
  const provision = spec.provides.find((provide) => meets(provide.class, needed));
  if (provision === undefined) {
    const offered = spec.provides.map((provide) => provide.class).join(', ') || 'nothing';
    throw conflict(field, 'other_class', `needs ${needed}, and ${uid} provides ${offered}.`);
  }
  const own = withProfile(bound.template.spec, bound.profile) ?? bound.template.spec;
  const used = usageOf(own, name).attributes;
  const missing = requiredAttributes(provision.class).filter(
    (attribute) => used.has(attribute) && !Object.hasOwn(provision.attributes, attribute),
  );
  if (missing.length > 0)
    throw conflict(
      field,
      'incomplete',
      `${uid} provides no ${missing.join(' and no ')}; save its details as a connection of the class ${provision.class} instead.`,
    );
  if (provider.server_id !== bound.serverId) {
    const inside = internalAttributes(spec, provision.attributes);
    if ([...used].some((attribute) => inside.has(attribute)))
      throw conflict(
        field,
        'other_server',
        `${uid} runs on another server and can be reached only on its own; bind an instance on the same server, or save its public address as a connection.`,
      );
  }
  return { instance: provider.instance_uid, definition_id: provider.id };
}

/** Locks what the bindings name, so that it is neither deleted nor archived before this transaction ends. */
export async function holdBound(tx: Tx, accountId: string, bindings: Bindings): Promise<void> {
  for (const [need, { connection, definition_id, instance }] of Object.entries(bindings)) {
    const field = `bindings.${need}`;
    if (connection !== undefined && !(await lockConnection(tx, accountId, connection)))
      throw conflict(field, 'gone', 'its connection was deleted; bind the need to another one.');
    if (definition_id === undefined) continue;
    const provider = await lockDefinition(tx, accountId, definition_id);
    if (!provider || provider.status === 'archived')
      throw conflict(field, 'gone', `the definition ${instance} was archived; bind the need to another one.`);
  }
}
