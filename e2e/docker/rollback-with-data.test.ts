import { afterAll, beforeAll, expect, test } from 'vitest';
import { act, ended, finished, type Garden, inside, openTendedGarden, type Planted, plant } from './garden.ts';

let garden: Garden;
beforeAll(async () => {
  garden = await openTendedGarden();
});
afterAll(() => garden?.[Symbol.asyncDispose]());

const note = async ({ instanceId }: Planted, line: string) =>
  expect(await ended(garden, await act(garden, instanceId, 'note', { line }))).toMatchObject({ status: 'completed' });

const facts = async (uid: string) =>
  (await inside(garden.engine, uid, 'sh', '-c', 'echo "$GREETING"; cat /data/lines')).trimEnd().split('\n');

async function changed({ definitionId: id }: Planted, inputs: Record<string, string>, backup_first = true) {
  const { client } = garden.service;
  await client.call('definitions.update', { params: { id }, body: { inputs } });
  return (await client.call('deployments.execute', { body: { definition_id: id, backup_first } })).data;
}

const back = async (id: string, with_data: boolean) =>
  (await garden.service.client.call('deployments.rollback', { params: { id }, body: { with_data } })).data;

test('the rows that were there when a revision was left are there when it is gone back to', {
  timeout: 240_000,
}, async () => {
  const planted = await plant(garden, 'rows', { inputs: { GREETING: 'first' } });
  await note(planted, 'before');
  const { id, preparation } = await changed(planted, { GREETING: 'second' });
  expect(preparation).toMatchObject({ kind: 'backup', done: false });
  const second = await finished(garden, id, 120_000);
  expect(second, second.error ?? '').toMatchObject({ status: 'success', preparation: { done: true } });
  await note(planted, 'after');
  expect(await facts('rows')).toEqual(['second', 'before', 'after']);

  const without = await finished(garden, (await back(id, false)).id, 120_000);
  expect(without).toMatchObject({ status: 'success', preparation: null });
  expect(await facts('rows')).toEqual(['first', 'before', 'after']);

  const ordered = await back(id, true);
  expect(ordered).toMatchObject({ revision: 1, backup_id: second.backup_id, preparation: { kind: 'restore' } });
  const end = await finished(garden, ordered.id, 120_000);
  expect(end, end.error ?? '').toMatchObject({ status: 'success' });
  expect(await facts('rows')).toEqual(['first', 'before']);
});

test('a backup that fails keeps the deployment from beginning, and what runs goes on', {
  timeout: 240_000,
}, async () => {
  const planted = await plant(garden, 'stays', { inputs: { GREETING: 'first' } });
  await note(planted, 'before');
  // A critical volume that is not there is no backup.
  const { engine } = garden;
  const [container] = await engine.containers({ labels: { 'hortus.instance': 'stays' } });
  await engine.remove(container?.id ?? '', { force: true });
  await engine.removeVolume('stays_data');
  const { id } = await changed(planted, { GREETING: 'second' });
  expect(await finished(garden, id, 120_000)).toMatchObject({
    status: 'failed',
    reason: 'backup',
    error: expect.stringMatching(/^Nothing was changed: the backup before it failed: The volume data is not there/),
    started_at: null,
  });
  const { data } = await garden.service.client.call('instances.read', { params: { id: planted.instanceId } });
  expect(data.revision).toBe(1);
});
