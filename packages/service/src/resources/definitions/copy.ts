import type { Queries } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Catalog } from '../templates/public.ts';
import { bindingsOf } from './bindings.ts';
import { revisionOf, secretValues } from './deployable.ts';
import type { Order } from './order.ts';
import { overridesOf } from './overrides.ts';
import type { DefinitionRow } from './store.ts';

export interface CopyDeps {
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly catalog: Pick<Catalog, 'known'>;
}

/**
 * Builds the order for an isolated copy of a revision, with the same choices and secrets. It belongs to no tenant, has
 * no backup schedule and is not healed.
 */
export async function copyOrder(
  queries: Queries,
  { vault, catalog }: CopyDeps,
  { id, account_id: accountId, name, server_id: serverId }: DefinitionRow,
  revision: number,
  { uid, testId }: { readonly uid: string; readonly testId: string },
): Promise<Order> {
  const { template_id, profile, variant, inputs, bindings, overrides } = await revisionOf(queries, id, revision);
  const held = await secretValues(queries, vault, { accountId, definitionId: id });
  const valuesOf = (of: readonly (typeof held)[number][]) =>
    Object.fromEntries(of.map((value) => [value.name, value.value]));
  return {
    template: catalog.known(template_id),
    name,
    instanceUid: uid,
    serverId,
    tenantId: null,
    profile,
    variant,
    watchSeconds: 0,
    heal: false,
    backup: undefined,
    bindings: bindingsOf({ bindings }),
    overrides: overridesOf({ overrides }),
    plain: JSON.parse(inputs),
    secret: valuesOf(held.filter(({ kind }) => kind !== 'generated')),
    generated: valuesOf(held.filter(({ kind }) => kind === 'generated')),
    testId,
    copyOf: id,
  };
}
