import type { Manifest } from '@hortus/contract/template/manifest';
import type { JobKind } from '../../jobs/job.ts';
import { wakeAfterWork } from '../../jobs/wake.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Storage } from '../../storage/storage.ts';
import { ordererOf, orderSmoke, Trial, type TrialParts } from '../../trials/trial.ts';
import type { Catalog } from '../templates/public.ts';
import { lockTest, noteTest, type TestRow, testsWaitingFor } from './store.ts';
import { recordTest, TEST, testLifecycle } from './test-lifecycle.ts';
import { volumesOf } from './tests.ts';

export interface TestParts extends TrialParts {
  readonly catalog: Pick<Catalog, 'byId'>;
  readonly manifests: {
    readonly resolve: (
      queries: Queries,
      accountId: string,
      definitionId: string,
      revision: number,
    ) => Promise<{ readonly manifest: Pick<Manifest, 'smoke'> }>;
  };
}

/** The definition of a test is never revised. */
const REVISION = 1;

/** Runs deploy tests. */
export const testJob = (storage: Storage, parts: TestParts): JobKind =>
  new Trial<TestRow, 'deployment' | 'smoke'>(parts, {
    lock: lockTest,
    steps: {
      deploying: {
        awaits: ({ deployment_id }) => ({ deployment: deployment_id }),
        failure: 'deployment',
        // Nothing is ordered without checks: a daemon that knows only the published messages cannot run a smoke test.
        async ends(tx, { account_id, definition_id }) {
          const { manifest } = await parts.manifests.resolve(tx, account_id, definition_id, REVISION);
          return manifest.smoke.length === 0 ? { output: 'The template declares no smoke test.\n' } : undefined;
        },
        async proceed(tx, row) {
          const { instance_id } = await parts.deployments.find(tx, ordererOf(row), row.deployment_id);
          const smoke_id = await orderSmoke(parts, tx, row, instance_id ?? '');
          await transition(tx, testLifecycle, row, 'test', { actor: null, set: { smoke_id } });
        },
      },
      testing: { awaits: ({ smoke_id }) => ({ execution: smoke_id ?? '' }), failure: 'smoke' },
    },
    errors: {
      serverRemoved: 'The server of this test has been removed.',
      timeout: ({ status }) => `The test did not finish within 30 minutes (${status}).`,
    },
    definitionOf: ({ definition_id }) => definition_id,
    deploymentsOf: ({ deployment_id }) => [deployment_id],
    volumesOf({ template_id }) {
      const template = parts.catalog.byId(template_id);
      return template ? volumesOf(template.spec) : [];
    },
    async end(tx, row, verdict, actor) {
      const move = verdict.reason === undefined ? 'pass' : 'fail';
      const set = { ...verdict, finished_at: tx.now };
      await recordTest(tx, await transition(tx, testLifecycle, row, move, { actor, set }), actor);
    },
    noteRelease: (tx, { id }, release_id) => noteTest(tx, id, { release_id }),
    noteCleared: (tx, { id }) => noteTest(tx, id, { cleared_at: tx.now }),
  }).job(storage);

export const wakeTests = wakeAfterWork(TEST, testsWaitingFor);
