import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { Problem } from '../../problem.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { type DeploymentServices, openDeploymentServices } from './testing/deployment-services.ts';

/** Any operation at any time; `pick` chooses among the deployments of the definition. */
const step = fc.record({
  what: fc.constantFrom(
    ...(['execute', 'execute', 'claim', 'claim', 'progress', 'success', 'success', 'fail'] as const),
    ...(['cancel', 'silence', 'absence', 'rollback', 'revise'] as const),
  ),
  definition: fc.nat(2),
  pick: fc.nat(30),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Operations of one step run concurrently. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 5, maxLength: 25 });

const DEADLINE_MS = 10 * 60_000;
const log = [{ at: 0, level: 'info' as const, message: 'working' }];

onDifferingEngines('concurrent transactions', (engine) => {
  let services: DeploymentServices;
  let owner: Principal;
  let daemons: (Principal & { kind: 'server' })[];

  beforeAll(async () => {
    services = await openDeploymentServices(engine);
    owner = await services.account();
    daemons = [await services.server(owner), await services.server(owner)];
  });

  const all = (definitionId: string) =>
    services.storage.reader.db
      .selectFrom('deployments')
      .selectAll()
      .where('definition_id', '=', definitionId)
      .orderBy('id')
      .execute();

  async function take({ what, pick }: Step, definitionId: string, daemon: Principal & { kind: 'server' }) {
    const rows = await all(definitionId);
    const unfinished = rows.filter(({ status }) => status === 'pending' || status === 'running');
    // Mostly a sensible choice, sometimes any deployment.
    const from = pick % 5 === 0 || unfinished.length === 0 ? rows : unfinished;
    const id = from[pick % Math.max(1, from.length)]?.id;
    if (what === 'execute') return services.execute(owner, definitionId);
    if (what === 'revise') return services.revise(owner, definitionId, `Title ${pick}`);
    if (id === undefined) return undefined;
    switch (what) {
      case 'claim':
        return services.patch(daemon, id, { status: 'running' });
      case 'progress':
        return services.patch(daemon, id, { status: 'running', logs: log });
      case 'success':
        return services.patch(daemon, id, { status: 'success' });
      case 'fail':
        return services.report(daemon, { deployment_id: id, status: 'failed', reason: 'unhealthy' });
      case 'cancel':
        return services.cancel(owner, id);
      case 'rollback':
        return services.rollback(owner, id);
      case 'silence':
        services.pass(DEADLINE_MS);
        return services.checkDeadline(id);
      case 'absence':
        return services.storage.write((tx) => services.deployments.serverReturned(tx, daemon.serverId));
    }
  }

  async function checkDefinition(definitionId: string, ended: Map<string, object>) {
    const rows = await all(definitionId);
    expect(rows.filter(({ status }) => status === 'running').length).toBeLessThanOrEqual(1);
    for (const row of rows.filter(({ finished_at }) => finished_at !== null)) {
      expect(['success', 'failed']).toContain(row.status);
      expect(row).toEqual(ended.get(row.id) ?? row);
      ended.set(row.id, row);
    }
    return rows;
  }

  async function checkEvents(definitionId: string, rows: Awaited<ReturnType<typeof all>>) {
    const events = (
      await services.storage.reader.db
        .selectFrom('events')
        .select(['type', 'data', 'resource_id'])
        .where('resource_id', 'in', [definitionId, ...rows.map(({ id }) => id)])
        .orderBy('position')
        .execute()
    ).map(({ data, ...event }) => ({ ...event, data: JSON.parse(data) }));
    for (const { id, status, started_at, reason } of rows) {
      const own = events.filter(({ resource_id }) => resource_id === id);
      expect(own.map(({ type }) => type)).toEqual([
        ...(started_at === null ? [] : ['deployment.started']),
        ...(status === 'success' || status === 'failed' ? [`deployment.${status}`] : []),
      ]);
      if (status === 'failed') expect(own.at(-1)?.data).toMatchObject({ status, reason });
      if (status === 'pending') expect(started_at).toBeNull();
    }
    // One after another, in the order of creation.
    const started = events.filter(({ type }) => type === 'deployment.started').map(({ resource_id }) => resource_id);
    expect(started).toEqual([...started].sort());
    let running: string | undefined;
    let current = 1;
    for (const { type, data, resource_id } of events) {
      if (type === 'deployment.started') {
        expect(running).toBeUndefined();
        running = resource_id;
      } else if (running === resource_id) running = undefined;
      if (type === 'definition.updated') current = data.current_revision;
      if (type === 'deployment.success' && data.kind === 'rollback') current = data.revision;
    }
    const definition = await services.definitions.read(owner, definitionId);
    expect(definition.current_revision).toBe(current);
    expect(definition.status).toBe(rows.some(({ status }) => status === 'success') ? 'active' : 'pending');
  }

  it('a definition has one deployment at a time and consistent events, whatever happens concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (moments) => {
        const definitions = await Promise.all(
          [0, 1, 2].map(async (n) => {
            const daemon = daemons[n % 2] as (typeof daemons)[number];
            return { daemon, id: (await services.definition(owner, daemon.serverId, {}, 'inkwell')).id };
          }),
        );
        const ended = new Map<string, object>();
        for (const moment of moments) {
          const outcomes = await Promise.allSettled(
            moment.map((item) => {
              const { id, daemon } = definitions[item.definition] as (typeof definitions)[number];
              return take(item, id, daemon);
            }),
          );
          // A Problem is a valid response; anything else is a bug.
          for (const outcome of outcomes)
            if (outcome.status === 'rejected' && !(outcome.reason instanceof Problem)) throw outcome.reason;
          for (const { id } of definitions) await checkDefinition(id, ended);
        }
        for (const { id } of definitions) await checkEvents(id, await checkDefinition(id, ended));
      }),
      { numRuns: process.env.HORTUS_TEST_LONG ? 300 : 25 },
    );
  }, 300_000);
});
