import type { Definition } from '@hortus/contract/resources/definition-records';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { Behind, conflict, invalid } from '../../problem.ts';
import type { RequireRoom } from '../../quotas/quotas.ts';
import { newId } from '../../records/ids.ts';
import { begin } from '../../state/transition.ts';
import { pipelines } from '../../storage/pipelining.ts';
import { RunAgain, type Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Placements } from '../servers/public.ts';
import { type Catalog, type CatalogTemplate, isOfCatalog, templateExists } from '../templates/public.ts';
import { joinTenant } from '../tenants/public.ts';
import type { PlanBackups } from './backup-plan.ts';
import { bindingsColumn, holdBound } from './bindings.ts';
import { definitionLifecycle } from './lifecycle.ts';
import { chooseNames } from './naming.ts';
import type { Order } from './order.ts';
import { overridesColumn } from './overrides.ts';
import { definitionRecord } from './record.ts';
import { revisionColumns } from './revise.ts';
import { keepGenerated, storeUserSecrets } from './secrets.ts';
import { insertRevision } from './store.ts';

export interface CreationDeps {
  readonly catalog: Pick<Catalog, 'load'>;
  readonly vault: Vault;
  readonly requireRoom: RequireRoom;
  /** Returns the status of a server, and keeps it from being removed; undefined if there is none. */
  readonly serverStatus: (tx: Tx, accountId: string, id: string) => Promise<string | undefined>;
  readonly placements: Pick<Placements, 'require'>;
  readonly planBackups: PlanBackups;
}

/** Creates the definition of an order that was validated before the transaction. */
export async function createDefinition(
  tx: Tx,
  deps: CreationDeps,
  principal: Principal,
  order: Order,
): Promise<Definition> {
  const { catalog, vault, requireRoom, placements, planBackups } = deps;
  const { accountId } = principal;
  const { template, tenantId, serverId, bindings = {} } = order;
  const id = order.id ?? newId('definition');
  const { instanceUid, containerName } = await chooseNames(tx, accountId, id, order);
  if (order.testId === undefined) await requireRoom(tx, principal, 'definitions');
  await holdBound(tx, accountId, bindings);
  if (!isOfCatalog(template)) await requireTemplate(tx, template, catalog);
  if (order.placed) await placements.require(tx, accountId, serverId, order.placed.needs);
  const serverChecked = requireServer(tx, deps, accountId, order);
  // Where the connection pipelines, send the check together with the inserts; if it fails, they are rolled back.
  if (!pipelines(tx) || tenantId !== null) await serverChecked;
  if (tenantId !== null) await joinTenant(tx, { accountId, tenantId, serverId });
  const begun = begin(
    tx,
    definitionLifecycle,
    {
      id,
      account_id: accountId,
      name: order.name,
      instance_uid: instanceUid,
      template_id: template.item.id,
      server_id: serverId,
      tenant_id: tenantId,
      current_revision: 1,
      last_revision: 1,
      container_name: containerName,
      watch_seconds: order.watchSeconds,
      backup: order.backup === undefined ? null : JSON.stringify(order.backup),
      test_id: order.testId ?? null,
      copy_of: order.copyOf ?? null,
      heal: order.heal ? 1 : 0,
      succeeded_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    },
    'create',
    actorOf(principal),
    () => {
      order.contested = true;
      return new RunAgain();
    },
  );
  const revision = {
    spec_hash: template.item.spec_hash,
    profile: order.profile,
    variant: order.variant,
    // Another uid was chosen if the derived one is taken; hosts follow it.
    inputs: JSON.stringify({ ...order.plain, ...order.hostsFor?.(instanceUid) }),
    secret_inputs: JSON.stringify(Object.keys(order.secret)),
    bindings: bindingsColumn(bindings),
    overrides: overridesColumn(order.overrides ?? {}),
  };
  // Sent in one pipeline. Await the server check first: without a server the inserts fail too, with a less useful
  // error.
  const revised = insertRevision(tx, {
    ...revision,
    ...revisionColumns(tx, principal, { id, template_id: template.item.id, current_revision: 1 }),
  });
  for (const sent of [serverChecked, begun, revised]) sent.catch(() => {});
  await serverChecked;
  const row = await begun;
  await revised;
  const owner = { accountId, definitionId: row.id };
  await keepGenerated(tx, vault, owner, template.spec, order.generated);
  await storeUserSecrets(tx, vault, owner, template.spec, order.secret);
  if (order.backup) await planBackups(tx, { ...owner, spec: template.spec, settings: order.backup });
  if (order.placed)
    await append(tx, {
      type: 'audit.definition_placed',
      accountId,
      resourceType: 'definition',
      resourceId: row.id,
      actor: actorOf(principal),
      data: { definition_id: row.id, server_id: serverId, reason: order.placed.placement.reason },
    });
  return definitionRecord({ ...row, ...revision }, template);
}

export const noServer = (message: string) => invalid('server_id', message, { reason: 'unknown' });

async function requireServer(
  tx: Tx,
  { serverStatus }: Pick<CreationDeps, 'serverStatus'>,
  accountId: string,
  { serverId, testId, ignoreDrain }: Order,
): Promise<void> {
  const status = await serverStatus(tx, accountId, serverId);
  if (status === undefined) throw noServer('there is no such server.');
  if (status === 'draining' && !ignoreDrain && testId === undefined)
    throw conflict(
      'server_id',
      'draining',
      'the server is drained and takes no new definitions; choose another, activate it, or set ignore_drain.',
    );
}

async function requireTemplate(tx: Tx, template: CatalogTemplate, catalog: Pick<Catalog, 'load'>): Promise<void> {
  if (await templateExists(tx, template.item.id)) return;
  throw new Behind(`Template ${template.item.id} has been removed.`, () => catalog.load());
}
