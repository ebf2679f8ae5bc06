import { type EvacuationPlan, MAX_MOVES, type PlannedMove } from '@hortus/contract/resources/evacuations';
import { notFound, Problem } from '../../problem.ts';
import { pausing } from '../../process/pausing.ts';
import type { Queries } from '../../storage/storage.ts';
import { type Needs, noServerFits, placementOf, type Survey } from '../servers/public.ts';
import type { EvacuationResources } from './resources.ts';
import { type Leaving, needsOfUnit, type Unit, unitsOn } from './units.ts';

/** Plans where everything on a server goes, the largest first. Changes nothing. */
export async function planEvacuation(
  queries: Queries,
  resources: EvacuationResources,
  leaving: Leaving,
): Promise<EvacuationPlan> {
  const { accountId, serverId } = leaving;
  const server = await resources.server(queries, accountId, serverId);
  if (!server) throw notFound('server');
  const units = await unitsOn(queries, resources, accountId, serverId);
  // Cut before their needs are read, which takes a manifest of each: those left out are for the next evacuation.
  const planned = units.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).slice(0, MAX_MOVES);
  const pause = pausing();
  const sized: { readonly unit: Unit; readonly needs: Needs }[] = [];
  for (const unit of planned) {
    sized.push({ unit, needs: await needsOfUnit(queries, resources, leaving, unit) });
    await pause();
  }
  // Large ones are hardest to place; by id among equals, so that the same plan is made again.
  sized.sort((a, b) => b.needs.memory - a.needs.memory || (keyOf(a.unit) < keyOf(b.unit) ? -1 : 1));
  const survey = await resources.placements.survey(queries, accountId);
  const moves: PlannedMove[] = [];
  for (const { unit, needs } of sized) {
    moves.push(await planMove(queries, resources, leaving, survey, unit, needs));
    await pause();
  }
  const left_out = units.length - planned.length;
  return { server_id: serverId, server_name: server.name, moves, left_out };
}

/** Lists what came to the server after its plan was made and before it was drained. */
export function unplanned(plan: EvacuationPlan, units: readonly Unit[]): Pick<PlannedMove, Late>[] {
  if (plan.left_out > 0) return [];
  const planned = new Set(plan.moves.map(({ tenant_id, definition_id }) => tenant_id ?? definition_id));
  return units
    .filter((unit) => !planned.has(keyOf(unit)))
    .slice(0, MAX_MOVES - plan.moves.length)
    .map(({ tenantId, definitionId, name }) => ({
      ...{ tenant_id: tenantId, definition_id: definitionId, name, to_server_id: null },
      reason: 'It came to the server after the plan was made; its target is chosen when it moves.',
    }));
}

type Late = 'tenant_id' | 'definition_id' | 'name' | 'to_server_id' | 'reason';

const keyOf = ({ tenantId, definitionId }: Unit): string => tenantId ?? definitionId ?? '';

async function planMove(
  queries: Queries,
  { planMigration }: EvacuationResources,
  { accountId, serverId: fromServerId }: Leaving,
  survey: Survey,
  { tenantId, definitionId, name, definitions }: Unit,
  needs: Needs,
): Promise<PlannedMove> {
  const subject = { tenant_id: tenantId, definition_id: definitionId, name };
  const stays = { ...subject, to_server_id: null, to_server_name: null };
  const choice = await survey.choose(needs);
  const { chosen } = choice;
  if (!chosen) {
    const { message } = noServerFits(choice, { field: 'placement' });
    const blockers = [{ reason: 'no_server', message, definition_id: null }];
    return { ...stays, reason: message, running: false, volumes: [], addresses: [], blockers, warnings: [] };
  }
  const wanted = { accountId, fromServerId, definitions, serverId: chosen.id };
  const plan = await planMigration(queries, wanted).catch((error: unknown) => {
    // One definition that cannot be moved must not hide the plan for the others.
    if (!(error instanceof Problem)) throw error;
    const blockers = [{ reason: error.code, message: error.message, definition_id: definitionId }];
    return { definitions: [], blockers, warnings: [] };
  });
  const { blockers, warnings } = plan;
  const found = {
    running: plan.definitions.some(({ running }) => running),
    volumes: plan.definitions.flatMap(({ volumes }) => volumes),
    addresses: plan.definitions.flatMap(({ addresses }) => addresses),
    ...{ blockers, warnings },
  };
  const [first] = blockers;
  if (first) return { ...stays, ...found, reason: first.message };
  survey.take(chosen.id, needs);
  const { reason } = placementOf({ ...choice, chosen });
  return { ...subject, ...found, to_server_id: chosen.id, to_server_name: chosen.name, reason };
}
