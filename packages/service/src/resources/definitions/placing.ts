import type { DefinitionCreate } from '@hortus/contract/resources/definitions';
import type { Manifest } from '@hortus/contract/template/manifest';
import { may, type Principal } from '../../identity/principal.ts';
import { Problem } from '../../problem.ts';
import type { Queries } from '../../storage/storage.ts';
import { footprintOf, reservationOf } from '../capacity/public.ts';
import type { OpenedConfig } from '../saved-configs/public.ts';
import { type Needs, noServerFits, type Placements, PlaceTaken, placementOf } from '../servers/public.ts';
import { findTenant } from '../tenants/public.ts';
import { type Order, type OrderDeps, readOrder } from './order.ts';
import { findUnarchived } from './store.ts';

export interface PlacingDeps extends OrderDeps {
  readonly placements: Pick<Placements, 'survey'>;
  readonly resolveOrder: (
    queries: Queries,
    accountId: string,
    order: Order,
  ) => Promise<{ readonly manifest: Pick<Manifest, 'components' | 'routes'> }>;
}

/** Chooses a server for the definition and reads the order for that. */
export async function placeOrder(
  deps: PlacingDeps,
  principal: Principal,
  body: DefinitionCreate,
  config?: OpenedConfig,
): Promise<Order> {
  const { reader, placements } = deps;
  const { accountId } = principal;
  const survey = await placements.survey(reader, accountId);
  const mayName = may(principal, 'servers:read');
  const { placement: wish, ...rest } = body;
  const known = {
    labels: wish?.labels ?? {},
    arch: wish?.arch,
    only: await onlyServers(reader, accountId, body),
  };
  const nothing = { memory: 0, cores: 0, ports: [], manifest: { components: [], routes: [] } };
  const likely = survey.likely({ ...known, ...nothing });
  if (!likely.chosen) throw noServerFits(likely, { mayName });
  // Which hosts and bindings are possible depends on the server, so the order is read for the likely one first.
  const read = (server_id: string) => readOrder(deps, principal, { ...rest, server_id }, config);
  const order = await read(likely.chosen.id);
  const manifest = await manifestOf(deps, accountId, order);
  const needs = manifest ? { ...known, ...needsOf(manifest) } : { ...known, ...nothing };
  const choice = await survey.choose(needs);
  const { chosen } = choice;
  if (!chosen) throw noServerFits(choice, { mayName });
  const placed = { needs, placement: placementOf({ ...choice, chosen }, { mayName }) };
  return { ...(chosen.id === order.serverId ? order : await read(chosen.id)), placed };
}

/** What a resolved definition requires of its server. */
export const needsOf = (manifest: Pick<Manifest, 'components' | 'routes'>) => ({
  ...footprintOf(manifest),
  cores: reservationOf(manifest).cores,
  manifest,
});

/** Undefined if something is missing that may be set after the creation; the deployment checks it. */
async function manifestOf({ reader, resolveOrder }: PlacingDeps, accountId: string, order: Order) {
  try {
    return (await resolveOrder(reader, accountId, order)).manifest;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** A tenant is on one server, and a bound instance is reached on its own. */
async function onlyServers(queries: Queries, accountId: string, body: DefinitionCreate): Promise<Needs['only']> {
  if (body.tenant_id !== undefined) {
    const tenant = await findTenant(queries, accountId, body.tenant_id);
    return tenant && { ids: [tenant.server_id], why: 'its tenant is on another server' };
  }
  for (const { instance } of Object.values(body.bindings ?? {})) {
    const provider = instance === undefined ? undefined : await findUnarchived(queries, accountId, instance);
    if (provider) return { ids: [provider.server_id], why: `${instance}, which it is bound to, is on another server` };
  }
  return undefined;
}

/** Between the choice and the transaction, other requests may take the room; then the choice is made again. */
const MAX_CHOICES = 5;

export async function chooseAgain<T>(work: () => Promise<T>): Promise<T> {
  for (let choices = 1; ; choices++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PlaceTaken) || choices === MAX_CHOICES) throw error;
    }
  }
}
