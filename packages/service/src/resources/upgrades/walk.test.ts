import { until } from '@hortus/testkit/until';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { newId } from '../../records/ids.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { startApp } from '../../testing/running-service.ts';
import { VersionedTemplate, withBackup } from './testing/versioned-template.ts';

const moments = ['backup', 'deployment', 'watch', 'data', 'back'] as const;
type Moment = (typeof moments)[number];

/** Outcome of each part of an upgrade, and before which of them the service is restarted. */
const decision = fc.record({
  backup: fc.constantFrom('made', 'made', 'made', 'failed'),
  deployment: fc.constantFrom('success', 'failed', 'irreversible', 'irreversible', 'engine'),
  watch: fc.constantFrom('quiet', 'returned', 'irreversible', 'failed', 'person'),
  data: fc.constantFrom('back', 'back', 'failed'),
  back: fc.constantFrom('success', 'failed'),
  ends: fc.subarray([...moments], { maxLength: 2 }),
});
type UnitDecision = typeof decision extends fc.Arbitrary<infer T> ? T : never;

/** Expected result: the reason of a failure, and the revision that is current then. */
function outcomeOf({ backup, deployment, watch, data, back }: UnitDecision): [string | null, number] {
  if (backup === 'failed') return ['backup', 1];
  if (deployment === 'failed') return ['deployment', 1];
  if (deployment === 'success' && watch === 'quiet') return [null, 2];
  if (deployment === 'success' && watch === 'returned') return ['unhealthy', 1];
  if (deployment === 'success' && watch === 'person') return ['rolled_back', 1];
  if (deployment === 'success' && watch === 'failed') return ['return', 2];
  if (data === 'failed' || back === 'failed') return ['return', 2];
  return [deployment === 'success' ? 'unhealthy' : 'deployment', 1];
}

onBothEngines((engine) => {
  let template: VersionedTemplate;
  let version = 0;
  beforeAll(async () => {
    template = new VersionedTemplate(await startApp(engine));
  });

  async function restart(): Promise<void> {
    const { app, testDatabase } = template.service;
    await app.close();
    template.service = await startApp(engine, {}, testDatabase);
  }

  type Target = Awaited<ReturnType<VersionedTemplate['deploy']>>;
  type Pause = (where: Moment) => Promise<void> | undefined;

  async function live(life: UnitDecision): Promise<void> {
    const pause: Pause = (where) => (life.ends.includes(where) ? restart() : undefined);
    await template.publish(`3.${++version}.0`, withBackup);
    const target = await template.deploy({}, life.watch === 'quiet' ? 0 : 3600);
    await template.publish(`3.${version}.1`, withBackup);
    const id = await template.upgradeOf(target.instanceId);
    expect((await template.apply(id)).status).toBe(202);
    await pause('backup');
    const made = life.backup === 'made' ? { revision: 1 } : { error: 'no room' };
    await template.settle(target.instanceId, 'hortus.backup', made);
    if (life.backup === 'made') await deployed(life, id, target, pause);
    await check(life, id, target.definitionId);
  }

  async function deployed(life: UnitDecision, id: string, target: Target, pause: Pause): Promise<void> {
    const deploymentId = (await template.until(id, 'upgrade_deploy')).deployment_id ?? '';
    await pause('deployment');
    if (life.deployment === 'success') {
      await template.report(deploymentId, 'success');
      if (life.watch === 'quiet') return;
      await template.until(id, 'upgrade_watch');
      await pause('watch');
      await watched(life.watch, deploymentId, target);
      if (life.watch !== 'irreversible') return;
    } else {
      await template.report(deploymentId, 'failed', { reason: life.deployment, error: 'it went wrong' });
      if (life.deployment === 'failed') return;
    }
    await returned(life, id, target, pause);
  }

  /** A user rolls it back, or a daemon that found it unhealthy tries to. */
  async function watched(how: UnitDecision['watch'], rollback_of: string, { serverKey }: Target): Promise<void> {
    if (how === 'person') {
      const order = { params: { id: rollback_of }, body: {} };
      const { data } = await template.service.client.call('deployments.rollback', order);
      return void (await template.report(data.id, 'success'));
    }
    const end = how === 'returned' ? { status: 'success', reason: 'unhealthy' } : { status: 'failed', reason: how };
    const body = { deployment_id: newId('deployment'), rollback_of, revision: 1, ...end };
    const response = await template.service.request('POST', '/deploy/report', { key: serverKey, body });
    expect(response.status, JSON.stringify(response.json)).toBe(200);
  }

  async function returned(life: UnitDecision, id: string, target: Target, pause: Pause): Promise<void> {
    const returnId = (await template.until(id, 'upgrade_return')).return_id ?? '';
    await pause('data');
    const brought = life.data === 'back' ? { revision: 2 } : { error: 'damaged' };
    await template.settle(target.instanceId, 'hortus.return_data', brought);
    if (life.data === 'failed') return;
    await pause('back');
    const isOffered = async () => (await template.offered(target.serverKey)).includes(returnId);
    await until(isOffered, { describe: 'the way back', within: 30_000 });
    await template.report(returnId, life.back, life.back === 'failed' ? { error: 'no image' } : {});
  }

  async function check(life: UnitDecision, id: string, definition_id: string): Promise<void> {
    const [reason, current_revision] = outcomeOf(life);
    const upgrade = await template.until(id, reason === null ? 'applied' : 'failed');
    expect(upgrade).toMatchObject({ reason, finished_at: expect.any(String) });
    expect(await template.definition(definition_id)).toMatchObject({ current_revision });
    const { data: deployments } = await template.service.client.call('deployments.list', { query: { definition_id } });
    expect(deployments.filter(({ status }) => status === 'pending' || status === 'running')).toEqual([]);
    // Each deployment ends before the next begins.
    const events = template.service.database.db.selectFrom('events').select(['type', 'resource_id']);
    const ids = deployments.map((deployment) => deployment.id);
    let running: string | null = null;
    for (const item of await events.where('resource_id', 'in', ids).orderBy('position').execute()) {
      if (item.type === 'deployment.started') {
        expect(running).toBeNull();
        running = item.resource_id;
      } else if (item.resource_id === running) running = null;
    }
  }

  it('ends as expected, whatever the outcome of its parts, and wherever the service is restarted', async () => {
    const numRuns = process.env.HORTUS_TEST_LONG ? 100 : 6;
    // Runs are long, and one failure is enough.
    await fc.assert(fc.asyncProperty(decision, live), { numRuns, endOnFailure: true });
  }, 900_000);
});
