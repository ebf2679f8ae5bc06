import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { newAdminKey, registerServer, type ServiceProcess, startService } from '../service-process.ts';

const KILLS = process.env.HORTUS_TEST_LONG ? 50 : 8;
const CALLERS = 16;

/** Creates definitions until the service is down; returns the acknowledged ones. */
async function createUntilDead(service: ServiceProcess, serverId: string, round: number, acknowledged: string[]) {
  const caller = async (number: number) => {
    for (let i = 0; ; i++) {
      const body = {
        species: 'postgres',
        instance_uid: `r${round}-c${number}-${i}`,
        server_id: serverId,
        inputs: {},
      };
      try {
        acknowledged.push((await service.client.call('definitions.create', { body })).data.id);
      } catch (error) {
        if (service.process.running && !/NETWORK/.test(String((error as { code?: string }).code))) throw error;
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)));
}

test(`kill -9 ${KILLS} times under concurrent creates loses no acknowledged definition`, {
  timeout: 600_000,
}, async () => {
  await using folder = temporaryFolder('killed');
  const key = newAdminKey();
  const acknowledged: string[] = [];
  let serverId: string | undefined;
  for (let round = 0; round < KILLS; round++) {
    const service = await startService({ directory: folder.path, key });
    serverId ??= await registerServer(service.client);
    const before = acknowledged.length;
    const creating = createUntilDead(service, serverId, round, acknowledged);
    // Kills it under load after a different number of acknowledgements each round.
    const enough = 20 + ((round * 37) % 150);
    await until(() => acknowledged.length - before >= enough, {
      describe: 'enough acknowledged creates',
    });
    await service.process.kill('SIGKILL');
    await creating;
  }

  const service = await startService({ directory: folder.path, key });
  const db = new DatabaseSync(join(folder.path, 'hortus.db'), { readOnly: true });
  try {
    await until(() => count(db, 'select count(*) as n from events where seq is null') === 0, {
      describe: 'every event numbered',
    });
    const known = new Set(
      db
        .prepare('select id from definitions')
        .all()
        .map((row) => row.id as string),
    );
    expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(KILLS * 20);
    for (const [lack, rows] of Object.entries(siblings)) expect(count(db, rows), lack).toBe(0);
    const numbered = db.prepare('select count(*) as n, min(seq) as low, max(seq) as high from events').get();
    expect(numbered).toMatchObject({ low: 1, high: numbered?.n });
    const sample = acknowledged.at(-1) as string;
    const { data } = await service.client.call('definitions.read', { params: { id: sample } });
    expect(data).toMatchObject({ id: sample, status: 'pending', current_revision: 1 });
  } finally {
    db.close();
    await service.process.stop();
  }
});

const count = (db: DatabaseSync, sql: string): number => Number(db.prepare(sql).get()?.n);

/** Count rows without the related rows of the same transaction. */
const siblings = {
  'definitions without a revision':
    'select count(*) as n from definitions d where not exists (select 1 from revisions r where r.definition_id = d.id and r.number = 1)',
  'revisions without a definition':
    'select count(*) as n from revisions r where not exists (select 1 from definitions d where d.id = r.definition_id)',
  'definitions without exactly one event': `select count(*) as n from definitions d where (select count(*) from events e where e.resource_id = d.id and e.type = 'definition.created') <> 1`,
  'events without a definition': `select count(*) as n from events e where e.type = 'definition.created' and not exists (select 1 from definitions d where d.id = e.resource_id)`,
  'definitions without their secret':
    'select count(*) as n from definitions d where not exists (select 1 from definition_secrets s where s.definition_id = d.id)',
};
