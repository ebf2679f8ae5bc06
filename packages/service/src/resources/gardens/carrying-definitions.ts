import type { DefinitionCreate, DefinitionUpdate } from '@hortus/contract/resources/definitions';
import type { Principal } from '../../identity/principal.ts';
import { Behind, conflict } from '../../problem.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Work } from '../../workers/job.ts';
import { type Definitions, findDefinition, makeCurrent, secretsFor, stageRevision } from '../definitions/public.ts';
import type { Deployments } from '../deployments/public.ts';
import type { Catalog, CatalogTemplate } from '../templates/public.ts';
import type { DefinitionOrder } from './definitions.ts';
import { permissionsToBind } from './planning.ts';
import { templateKey } from './private-templates.ts';
import type { Step } from './step.ts';
import type { GardenChangeRow } from './store.ts';

export interface DefinitionCarryingDeps {
  readonly storage: Storage;
  readonly vault: Vault;
  readonly work: Work;
  readonly catalog: Catalog;
  readonly definitions: Pick<Definitions, 'order' | 'create' | 'update' | 'archive'>;
  readonly deployments: Pick<Deployments, 'rehearse' | 'execute' | 'find'>;
}

type Orders = DefinitionOrder<DefinitionCreate & DefinitionUpdate>;

/** Prepares a change of a definition; the change and its deployment are ordered in one transaction. */
export function prepareDefinition(
  deps: DefinitionCarryingDeps,
  principal: Principal,
  change: Pick<GardenChangeRow, 'action' | 'resource_id' | 'fields'>,
  order: Orders | null,
): Promise<Step> {
  const id = change.resource_id;
  if (id === null) return created(deps, principal, order);
  if (change.action === 'archive')
    return Promise.resolve(async (tx) => ({ resourceId: (await deps.definitions.archive(tx, principal, id)).id }));
  return change.action === 'deploy'
    ? deployed(deps, principal, id)
    : updated(deps, principal, id, order, change.fields);
}

async function created(deps: DefinitionCarryingDeps, principal: Principal, order: Orders | null): Promise<Step> {
  const { definitions, deployments, catalog } = deps;
  if (!order) throw new Error('A new definition has no order.');
  const { body, templateKey: key } = order;
  const template = key === undefined ? undefined : publishedTemplate(catalog, principal.accountId, key);
  const read = await definitions.order(binding(principal), {
    ...body,
    ...(template && { template_id: template.item.id }),
  });
  return async (tx) => {
    const { id } = await definitions.create(tx, principal, read);
    const { id: deploymentId } = await deployments.execute(tx, principal, { definition_id: id });
    return { resourceId: id, deploymentId };
  };
}

async function deployed({ deployments }: DefinitionCarryingDeps, principal: Principal, id: string): Promise<Step> {
  await deployments.rehearse(principal, { definition_id: id });
  return async (tx) => {
    const { id: deploymentId } = await deployments.execute(tx, principal, { definition_id: id });
    return { resourceId: id, deploymentId };
  };
}

async function updated(
  deps: DefinitionCarryingDeps,
  principal: Principal,
  id: string,
  order: Orders | null,
  fields: string,
): Promise<Step> {
  const { definitions, deployments, catalog, storage, vault, work } = deps;
  if (!order) throw new Error('A changed definition has no order.');
  const { body, templateKey: key } = order;
  const { accountId } = principal;
  const to = key === undefined ? undefined : publishedTemplate(catalog, accountId, key);
  const generated = to ? await secretsFor(storage.reader, vault, principal, id, to) : {};
  // Secrets are not rolled back with a revision, so the new revision stays and is deployed again by the next run.
  const withSecrets = (JSON.parse(fields) as { secret?: true }[]).some(({ secret }) => secret);
  return async (tx) => {
    const before = await findDefinition(tx, accountId, id);
    if (!before) throw conflict('id', 'removed', 'the definition does not exist any more.');
    const from = before.current_revision;
    if (to) {
      const passage = { from: catalog.known(before.template_id), to, running: from };
      const { inputs, profile, variant, ...settings } = body;
      const choices = { ...(inputs && { inputs }), ...(profile && { profile }), ...(variant && { variant }) };
      const number = await stageRevision(tx, { vault, work }, principal, id, passage, choices, generated);
      await makeCurrent(tx, principal, id, { from, to: number });
      await definitions.update(tx, binding(principal), id, settings);
    } else await definitions.update(tx, binding(principal), id, body);
    const { id: deploymentId } = await deployments.execute(tx, principal, { definition_id: id });
    return { resourceId: id, deploymentId, ...(!withSecrets && { fromRevision: from }) };
  };
}

/** The permissions for bindings were required when the garden was applied. */
const binding = (principal: Principal): Principal =>
  principal.kind === 'server'
    ? principal
    : { ...principal, permissions: [...principal.permissions, ...permissionsToBind] };

/** Finds a template that this run has published; this process may not have loaded it yet. */
function publishedTemplate(catalog: Catalog, accountId: string, key: string): CatalogTemplate {
  const found = catalog.ownedBy(accountId).find((item) => item.status === 'published' && templateKey(item) === key);
  if (!found) throw new Behind(`Template ${key} is not in the catalog of this process yet.`, () => catalog.load());
  return catalog.known(found.id);
}
