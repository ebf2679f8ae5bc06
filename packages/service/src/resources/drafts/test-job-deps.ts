import { builtIn } from '@hortus/contract/built-in-actions';
import { standInFor } from '../../identity/principal.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Actions } from '../actions/public.ts';
import { type Definitions, findDefinition } from '../definitions/public.ts';
import type { Deployments, ServerStanding } from '../deployments/public.ts';
import type { Instances } from '../instances/public.ts';
import type { Catalog } from '../templates/public.ts';
import type { TestRow } from './store.ts';
import type { TestJobDeps } from './test-job.ts';
import { volumesOf } from './tests.ts';

export interface TestJobParts {
  readonly storage: Storage;
  readonly catalog: Pick<Catalog, 'byId'>;
  readonly server: ServerStanding;
  readonly definitions: Pick<Definitions, 'archive'>;
  readonly deployments: Pick<Deployments, 'find' | 'cancel'>;
  readonly instances: Pick<Instances, 'discard' | 'lock'>;
  readonly actions: Pick<Actions, 'find' | 'order'>;
}

/** Connects deploy tests to other resources, acting as the user who ordered the test. */
export function testJobDeps(parts: TestJobParts): TestJobDeps {
  const { storage, catalog, server, definitions, deployments, instances, actions } = parts;
  const inNameOf = (row: TestRow) => standInFor(row.account_id, row.created_by);
  return {
    storage,
    async deployment(queries, row) {
      const { status, error, reason } = await deployments.find(queries, inNameOf(row), row.deployment_id);
      const ended = status === 'success' || status === 'failed';
      return { ended, succeeded: status === 'success', error: error ?? reason };
    },
    async execution(queries, row, id) {
      const { status, error, output, finished_at } = await actions.find(queries, inNameOf(row), id);
      return { ended: finished_at !== null, succeeded: status === 'completed', error: error ?? status, output };
    },
    hasServer: async (queries, row) => (await server(queries, row.account_id, row.server_id)) !== undefined,
    async smoke(tx, row) {
      const { instance_id } = await deployments.find(tx, inNameOf(row), row.deployment_id);
      const instance = await instances.lock(tx, inNameOf(row), instance_id ?? '');
      return (await actions.order(tx, { instance, slug: builtIn.smoke, actor: row.created_by })).id;
    },
    async cancel(tx, row) {
      if (row.status === 'deploying') await deployments.cancel(tx, inNameOf(row), row.deployment_id);
    },
    async discard(tx, row) {
      const spec = catalog.byId(row.template_id)?.spec;
      return (await instances.discard(tx, row.definition_id, spec ? volumesOf(spec) : [], row.created_by))?.id;
    },
    async archive(tx, row) {
      const definition = await findDefinition(tx, row.account_id, row.definition_id);
      if (definition?.status !== 'archived') await definitions.archive(tx, inNameOf(row), row.definition_id, 'keep');
    },
  };
}
