import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '@hortus/cli/run';
import { scriptedTerminal, scriptedWorld } from '@hortus/cli/testing/scripted-terminal';
import { ApiProblem } from '@hortus/client/problem';
import type { EvacuationDetail } from '@hortus/contract/resources/evacuations';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasOwnEngine } from '../catalog/catalog-installation.ts';
import { type MigratedTenant, openMigratedTenant } from './migrated-tenant.ts';

if (hasOwnEngine) {
  let migrated: MigratedTenant;
  beforeAll(async () => {
    migrated = await openMigratedTenant();
  }, 300_000);
  afterAll(() => migrated?.[Symbol.asyncDispose]());

  async function hortus(...argv: string[]) {
    const terminal = scriptedTerminal([], { interactive: false, width: 200 });
    const { base, key } = migrated.all.service;
    const world = scriptedWorld(terminal, { HORTUS_URL: base, HORTUS_KEY: key });
    const code = await run(argv, { ...world, now: Date.now, pause: (ms: number) => sleep(ms) });
    return { code, out: terminal.printed, said: `${terminal.printed}${terminal.noted}` };
  }

  /** Undefined while the service is down. */
  async function read(id: string): Promise<EvacuationDetail | undefined> {
    try {
      return (await migrated.all.service.client.call('evacuations.read', { params: { id } })).data;
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'NETWORK') return undefined;
      throw error;
    }
  }

  test('drain --move empties a server with its data, although the service is killed in the middle', {
    timeout: 300_000,
  }, async () => {
    const { all } = migrated;
    const [here, there] = all.servers;
    const body = { species: 'redis', instance_uid: 'cache', server_id: here.serverId, inputs: {}, watch_seconds: 0 };
    const { data: cache } = await all.service.client.call('definitions.create', { body });
    await migrated.write('before the move');

    const plan = await hortus('servers', 'drain', 'here', '--move', '--dry-run', '--json');
    expect(plan.code, plan.said).toBe(0);
    const planned = JSON.parse(plan.out).moves as { name: string; to_server_name: string | null }[];
    expect(planned.map(({ name, to_server_name }) => [name, to_server_name]).toSorted()).toEqual([
      ['Rose MigratedTenant', 'there'],
      ['cache', 'there'],
    ]);
    expect(await migrated.sides()).toEqual(['here']);

    const ordered = await hortus('servers', 'drain', 'here', '--move', '--at-once', '1', '--yes', '--json');
    expect(ordered.code, ordered.said).toBe(0);
    const { id } = JSON.parse(ordered.out) as { id: string };
    const isMoving = (move: EvacuationDetail['moves'][number]) => move.tenant_id !== null && move.status === 'moving';
    await until(async () => (await read(id))?.moves.some(isMoving), {
      every: 3,
      within: 60_000,
      describe: 'the move of the tenant',
    });
    await all.restartService();
    const end = await until(async () => (await read(id))?.finished_at && (await read(id)), {
      within: 180_000,
      describe: 'the end of the evacuation',
    });
    expect(end, JSON.stringify(end, null, 1)).toMatchObject({ status: 'completed', moved: 2, stuck: 0 });
    // Nothing was moved twice.
    const { data: migrations } = await all.service.client.call('migrations.list');
    expect(migrations).toHaveLength(2);
    await until(async () => (await migrated.sides()).join() === 'there', { describe: 'it to run there alone' });
    await until(async () => (await migrated.rows(there)).length >= migrated.written.length, { describe: 'the rows' });
    expect(await migrated.rows(there)).toEqual(migrated.written);
    await until(async () => (await migrated.leftOn(here)).length === 0, {
      within: 60_000,
      describe: 'nothing to be left on the emptied server',
    });
    const { data: moved } = await all.service.client.call('definitions.read', { params: { id: cache.id } });
    expect(moved.server_id).toBe(there.serverId);

    await all.online();
    const { data: placed } = await all.service.client.call('definitions.create', {
      body: { ...body, instance_uid: 'placed', server_id: 'auto' },
    });
    expect(placed).toMatchObject({ server_id: there.serverId, placement: { server_id: there.serverId } });
    const shown = await hortus('servers', 'evacuations', 'show', id);
    expect(shown.out).toContain('The evacuation is completed: 2 of 2 moved.');
    expect((await hortus('servers', 'activate', 'here')).out).toContain('takes deployments again');
  });
}
