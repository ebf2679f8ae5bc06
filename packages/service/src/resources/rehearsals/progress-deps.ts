import { builtIn } from '@hortus/contract/built-in-actions';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import { dataWay } from '@hortus/template/upgrade/passage';
import { standInFor } from '../../identity/principal.ts';
import type { Actions } from '../actions/public.ts';
import type { Backups } from '../backups/public.ts';
import { type Definitions, findDefinition, makeCurrent } from '../definitions/public.ts';
import type { Deployments, ServerStanding } from '../deployments/public.ts';
import { volumesOf } from '../drafts/public.ts';
import type { Instances } from '../instances/public.ts';
import type { Catalog } from '../templates/public.ts';
import type { ProgressDeps } from './progress.ts';
import type { RehearsalRow } from './store.ts';

export interface ProgressParts extends Pick<ProgressDeps, 'ended'> {
  readonly catalog: Pick<Catalog, 'known'>;
  readonly server: ServerStanding;
  readonly definitions: Pick<Definitions, 'archive'>;
  readonly deployments: Pick<Deployments, 'find' | 'cancel' | 'deployCopy' | 'execute' | 'lastLines'>;
  readonly instances: Pick<Instances, 'discard' | 'lock'>;
  readonly actions: Pick<Actions, 'find' | 'order' | 'cancel'>;
  readonly backups: Pick<Backups, 'bytesOf'>;
}

/** Connects rehearsals to other resources, acting as the user who ordered them. */
export function progressDeps(parts: ProgressParts): ProgressDeps {
  const { catalog, server, definitions, deployments, instances, actions, backups, ended } = parts;
  const inNameOf = (row: RehearsalRow) => standInFor(row.account_id, row.created_by);
  return {
    ended,
    async deployment(queries, row, id) {
      const { status, error, reason } = await deployments.find(queries, inNameOf(row), id);
      const succeeded = status === 'success';
      const failed = status === 'failed';
      const lastLines = failed ? await deployments.lastLines(queries, inNameOf(row), id) : [];
      return { ended: succeeded || failed, succeeded, error: error ?? reason, lastLines };
    },
    async execution(queries, row, id) {
      const { status, error, output, finished_at } = await actions.find(queries, inNameOf(row), id);
      return { ended: finished_at !== null, succeeded: status === 'completed', error: error ?? status, output };
    },
    hasServer: async (queries, row) => (await server(queries, row.account_id, row.server_id)) !== undefined,
    dataBytes: async (queries, { account_id, backup_id }) =>
      backup_id === null ? 0 : backups.bytesOf(queries, account_id, backup_id),
    async restore(tx, row) {
      const data = { backupId: row.backup_id, ignoreCapacity: row.ignore_capacity === 1 };
      return (await deployments.deployCopy(tx, inNameOf(row), row.copy_definition_id, data)).id;
    },
    async change(tx, row, revision) {
      const { copy_definition_id: definition_id } = row;
      await makeCurrent(tx, inNameOf(row), definition_id, { from: 1, to: revision });
      const body = { definition_id, ignore_capacity: row.ignore_capacity === 1 };
      const [from, to] = [row.from_template_id, row.to_template_id].map((id) => catalog.known(id).spec);
      const rebuilds = row.backup_id !== null && from && to && dataWay(from, to) === 'dump_restore';
      const taken = rebuilds ? { id: row.backup_id, rebuild: true } : undefined;
      return (await deployments.execute(tx, inNameOf(row), body, taken)).id;
    },
    async smoke(tx, row) {
      const instance = await instances.lock(tx, inNameOf(row), row.copy_instance_id);
      return (await actions.order(tx, { instance, slug: builtIn.smoke, actor: row.created_by })).id;
    },
    async cancel(tx, row) {
      for (const id of [row.restore_deployment_id, row.change_deployment_id]) {
        if (id === null) continue;
        const deployment = await deployments.find(tx, inNameOf(row), id);
        const filling = fillingOf(deployment);
        // The end of the execution ends the deployment.
        if (filling !== undefined) await actions.cancel(tx, inNameOf(row), filling);
        else if (deployment.finished_at === null) await deployments.cancel(tx, inNameOf(row), id);
      }
    },
    async discard(tx, row) {
      const templates = [row.from_template_id, row.to_template_id].map((id) => catalog.known(id).spec);
      const volumes = [...new Set(templates.flatMap(volumesOf))];
      return (await instances.discard(tx, row.copy_definition_id, volumes, row.created_by))?.id;
    },
    async archive(tx, row) {
      const copy = await findDefinition(tx, row.account_id, row.copy_definition_id);
      if (copy?.status !== 'archived') await definitions.archive(tx, inNameOf(row), row.copy_definition_id, 'keep');
    },
  };
}

/** The execution that fills the copy, while its deployment waits for it. */
const fillingOf = ({ status, preparation }: Deployment): string | undefined =>
  status === 'pending' && preparation && !preparation.done ? (preparation.execution_id ?? undefined) : undefined;
