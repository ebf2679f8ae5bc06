import { dataWay } from '@hortus/template/upgrade/passage';
import { workStates } from '../../trials/work-state.ts';
import type { Actions } from '../actions/public.ts';
import { findDefinition } from '../definitions/public.ts';
import type { Deployments, ReadServerState } from '../deployments/public.ts';
import { findLiving } from '../instances/public.ts';
import { type Catalog, followPublication } from '../templates/public.ts';
import type { StepDeps } from './application.ts';
import { pathFrom } from './scan.ts';
import type { UpgradeRow } from './store.ts';

export interface StepParts extends Pick<StepDeps, 'backup' | 'rehearsal'> {
  readonly server: ReadServerState;
  readonly deployments: Pick<Deployments, 'find' | 'execute' | 'undoingOf' | 'returnWithData'>;
  readonly actions: Pick<Actions, 'find'>;
  readonly catalog: Pick<Catalog, 'known' | 'byId' | 'newestOf' | 'versionsOf'>;
}

/** Connects the application of upgrades to other resources. */
export function stepDeps(parts: StepParts): StepDeps {
  const { server, deployments, actions, catalog, backup, rehearsal } = parts;
  const rebuildsData = ({ from_template_id, to_template_id }: UpgradeRow) =>
    dataWay(catalog.known(from_template_id).spec, catalog.known(to_template_id).spec) === 'dump_restore';
  return {
    ...workStates({ deployments, actions }),
    backup,
    rehearsal,
    rebuildsData,
    isUnhealthy: async (queries, { definition_id }) =>
      (await findLiving(queries, definition_id))?.health === 'unhealthy',
    async followNewVersions(tx, { to_template_id, species }) {
      const { owner } = catalog.known(to_template_id);
      if (pathFrom(catalog, to_template_id)) await followPublication(tx, { species, owner });
    },
    returnWithData: async (tx, principal, { deployment_id }) =>
      (await deployments.returnWithData(tx, principal, deployment_id ?? ''))?.id,
    hasIrreversibleJob: ({ to_template_id }) =>
      Object.values(catalog.known(to_template_id).spec.components).some(({ irreversible }) => irreversible),
    async deploy(tx, principal, row) {
      const body = { definition_id: row.definition_id, ignore_capacity: row.ignore_capacity === 1 };
      return (await deployments.execute(tx, principal, body, { id: row.backup_id, rebuild: rebuildsData(row) })).id;
    },
    undoingOf: (queries, principal, id) => deployments.undoingOf(queries, principal, id),
    async watchMs(queries, row) {
      const definition = await findDefinition(queries, row.account_id, row.definition_id);
      return (definition?.watch_seconds ?? 0) * 1_000;
    },
    server: (queries, row) => server(queries, row.account_id, row.server_id),
  };
}
