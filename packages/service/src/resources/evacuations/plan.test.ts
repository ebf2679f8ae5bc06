import { MAX_MOVES } from '@hortus/contract/resources/evacuations';
import { expect, it } from 'vitest';
import type { Queries } from '../../storage/storage.ts';
import type { DefinitionRow } from '../definitions/public.ts';
import { planEvacuation, unplanned } from './plan.ts';
import type { EvacuationResources } from './resources.ts';

const definitions = (count: number) =>
  Array.from(
    { length: count },
    (_, number) => ({ id: `def_${1_000 + number}`, name: `d${number}`, tenant_id: null }) as DefinitionRow,
  );

/** A server with these definitions, for which no other server fits. */
function crowded(count: number) {
  const sized: string[] = [];
  const resources = {
    server: async () => ({ name: 'here' }),
    definitionsOn: async () => definitions(count),
    tenantsOn: async () => [],
    runningRevision: async (_: Queries, id: string) => {
      sized.push(id);
      return null;
    },
    placements: { survey: async () => ({ choose: async () => ({ chosen: undefined, considered: [], total: 0 }) }) },
  } as unknown as EvacuationResources;
  const leaving = { accountId: 'acc_1', serverId: 'srv_1', placement: undefined };
  return { sized, plan: () => planEvacuation({} as Queries, resources, leaving) };
}

it('the needs of what is left out of a plan are not read', async () => {
  const { sized, plan } = crowded(MAX_MOVES + 20);
  expect(await plan()).toMatchObject({ left_out: 20, server_name: 'here' });
  expect(sized).toHaveLength(MAX_MOVES);
});

it('what came to the server after its plan was made is moved too', async () => {
  const plan = await crowded(2).plan();
  const unit = ({ id, name }: DefinitionRow) => ({ tenantId: null, definitionId: id, name, definitions: [] });
  const units = definitions(3).map(unit);
  expect(unplanned(plan, units)).toMatchObject([{ definition_id: 'def_1002', name: 'd2', to_server_id: null }]);
  expect(unplanned({ ...plan, left_out: 1 }, units)).toEqual([]);
});
