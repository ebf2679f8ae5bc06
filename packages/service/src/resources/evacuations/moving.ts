import type { PlacementWish } from '@hortus/contract/resources/placement-records';
import { standInFor } from '../../identity/principal.ts';
import { Problem } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { type Needs, noServerFits, PlaceTaken, placementOf } from '../servers/public.ts';
import { evacuationMoveLifecycle } from './lifecycle.ts';
import type { EvacuationResources } from './resources.ts';
import { type EvacuationRow, lockEvacuationById, type MoveRow, movesOf } from './store.ts';
import { type Leaving, needsOfUnit, type Unit } from './units.ts';

interface Deps {
  readonly storage: Storage;
  readonly resources: EvacuationResources;
}

interface Target {
  readonly serverId: string;
  readonly reason: string;
  readonly needs: Needs;
}

const MAX_CHOICES = 5;

/** Chooses the target of a move and begins its migration, or records why it cannot be moved. */
export async function beginMove(deps: Deps, evacuation: EvacuationRow, move: MoveRow): Promise<void> {
  for (let choices = 1; ; choices++) {
    try {
      const target = await chooseTarget(deps, evacuation, move);
      return await deps.storage.write((tx) => migrate(tx, deps.resources, evacuation, move, target));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error instanceof PlaceTaken && choices < MAX_CHOICES) continue;
      const { message } = error;
      return await deps.storage.write(async (tx) => {
        const held = await holdPending(tx, evacuation.id, move.id);
        const set = { error: message, finished_at: tx.now };
        if (held) await transition(tx, evacuationMoveLifecycle, held, 'fail', { actor: null, set });
      });
    }
  }
}

async function chooseTarget({ storage, resources }: Deps, evacuation: EvacuationRow, move: MoveRow): Promise<Target> {
  const { reader } = storage;
  const { account_id: accountId, server_id: serverId, placement } = evacuation;
  const wish = placement === null ? undefined : (JSON.parse(placement) as PlacementWish);
  const leaving: Leaving = { accountId, serverId, placement: wish };
  const needs = await needsOfUnit(reader, resources, leaving, await unitOf({ storage, resources }, evacuation, move));
  const survey = await resources.placements.survey(reader, accountId);
  const choice = await survey.choose(needs);
  const { chosen } = choice;
  if (!chosen) throw noServerFits(choice, { field: 'placement' });
  return { serverId: chosen.id, reason: placementOf({ ...choice, chosen }).reason, needs };
}

async function unitOf({ storage, resources }: Deps, evacuation: EvacuationRow, move: MoveRow): Promise<Unit> {
  const { account_id: accountId, server_id: serverId } = evacuation;
  const { tenant_id: tenantId, definition_id: definitionId, name } = move;
  if (definitionId !== null) {
    const item = await resources.definition(storage.reader, accountId, definitionId);
    return { tenantId, definitionId, name, definitions: item ? [item] : [] };
  }
  const all = await resources.definitionsOn(storage.reader, accountId, serverId);
  return { tenantId, definitionId, name, definitions: all.filter(({ tenant_id }) => tenant_id === tenantId) };
}

/** Orders the migration and records it with the move, in one transaction. */
async function migrate(
  tx: Tx,
  resources: EvacuationResources,
  { id, account_id, server_id, created_by }: EvacuationRow,
  move: MoveRow,
  { serverId, reason, needs }: Target,
): Promise<void> {
  const held = await holdPending(tx, id, move.id);
  if (!held) return;
  const { definition_id, tenant_id } = held;
  // It may have been moved or archived by others meanwhile; then nothing is left to do.
  if (definition_id !== null) {
    const now = await resources.definition(tx, account_id, definition_id);
    if (!now || now.status === 'archived' || now.server_id !== server_id) return await skip(tx, held);
  } else {
    const there = await resources.definitionsOn(tx, account_id, server_id);
    if (!there.some((item) => item.tenant_id === tenant_id)) return await skip(tx, held);
  }
  await resources.placements.require(tx, account_id, serverId, needs);
  const principal = standInFor(account_id, created_by);
  const order = { server_id: serverId };
  const { migration } =
    definition_id === null
      ? await resources.migrateTenant(tx, principal, tenant_id ?? '', order)
      : await resources.migrateDefinition(tx, principal, definition_id, order);
  const set = { to_server_id: serverId, reason, migration_id: migration?.id ?? null };
  await transition(tx, evacuationMoveLifecycle, held, 'begin', { actor: created_by, set });
}

/** A move whose subject has left the server already counts as moved. */
async function skip(tx: Tx, held: MoveRow): Promise<void> {
  const begun = await transition(tx, evacuationMoveLifecycle, held, 'begin', { actor: null });
  const set = { reason: 'It had left the server already.', finished_at: tx.now };
  await transition(tx, evacuationMoveLifecycle, begun, 'finish', { actor: null, set });
}

/** Holds the evacuation and returns the move if it may still begin. */
async function holdPending(tx: Tx, evacuationId: string, moveId: string): Promise<MoveRow | undefined> {
  const evacuation = await lockEvacuationById(tx, evacuationId);
  if (evacuation?.status !== 'running') return undefined;
  return (await movesOf(tx, evacuationId)).find(({ id, status }) => id === moveId && status === 'pending');
}
