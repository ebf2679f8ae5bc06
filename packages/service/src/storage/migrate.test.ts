import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sharedPostgresUrl } from '@hortus/testkit/database';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { onDifferingEngines, type TestDatabase } from '../testing/engines.ts';
import { REPLACED_MIGRATIONS } from './before-baseline.ts';
import { openStorage } from './open.ts';
import type { Storage } from './storage.ts';

it('the baseline replaces the 56 migrations of the databases from before it', () => {
  expect(REPLACED_MIGRATIONS).toHaveLength(56);
  const recorded = createHash('sha256').update(REPLACED_MIGRATIONS.join(' ')).digest('hex');
  expect(recorded).toBe('5faf0950ed7fb381d3e5f07a5aef96fe852cbbc88bd7168b43b602072ba6fd6b');
});

it('the service needs no rights on a database server beyond its own database', async () => {
  const server = new pg.Client({ connectionString: sharedPostgresUrl() });
  await server.connect();
  const name = `least_${randomBytes(6).toString('hex')}`;
  try {
    // As docs/install.md creates them.
    await server.query(`create role ${name} login nosuperuser nocreatedb nocreaterole noreplication`);
    await server.query(`create database ${name} owner ${name}`);
    await server.query(`revoke all on database ${name} from public`);
    const url = new URL(sharedPostgresUrl());
    url.username = name;
    url.pathname = `/${name}`;
    const storage = await openStorage({
      databaseUrl: url.href,
      dataDirectory: '/nonexistent',
      databaseReads: 'primary',
    });
    const asked = await sql<{ name: string; super: boolean }>`
      select rolname as name, rolsuper or rolcreatedb or rolcreaterole as super from pg_roles where rolname = current_user
    `.execute(storage.reader.db);
    expect(asked.rows).toEqual([{ name, super: false }]);
    await storage.write((tx) => tx.db.insertInto('settings').values({ name: 'kept', value: 'yes' }).execute());
    await storage.close();
  } finally {
    await server.query(`drop database if exists ${name} with (force)`);
    await server.query(`drop role if exists ${name}`);
    await server.end();
  }
});

onDifferingEngines('migrations and their advisory lock', (engine) => {
  it('opening a migrated database again keeps its data', async () => {
    const testDatabase = await engine.testDatabase({ bare: true });
    const first = await testDatabase.open();
    await first.write((tx) => tx.db.insertInto('settings').values({ name: 'kept', value: 'yes' }).execute());
    await first.close();
    const second = await testDatabase.open();
    expect(await second.reader.db.selectFrom('settings').select('value').execute()).toEqual([{ value: 'yes' }]);
  });

  describe('a database from before the baseline', () => {
    /** Creates a database with the schema of the baseline and the given record. */
    const withRecord = async (names: readonly string[]): Promise<TestDatabase> => {
      const testDatabase = await engine.testDatabase({ bare: true });
      const first = await testDatabase.open();
      await first.write(async (tx) => {
        await sql`delete from kysely_migration`.execute(tx.db);
        if (!names.includes('0132-server-diagnostics')) await sql`drop table server_diagnostics`.execute(tx.db);
        if (!names.includes('0133-sessions-of-two-halves'))
          await sql`alter table sessions drop column page_hash`.execute(tx.db);
        for (const name of names)
          await sql`insert into kysely_migration (name, timestamp) values (${name}, '2026-01-01')`.execute(tx.db);
        await tx.db.updateTable('schema_needs').set({ migration: '0096-schema-needs' }).execute();
        await tx.db.insertInto('settings').values({ name: 'kept', value: 'yes' }).execute();
      });
      await first.close();
      return testDatabase;
    };
    const isAdopted = async (storage: Storage) => {
      expect(await recorded(storage)).toEqual(CURRENT);
      expect(await storage.reader.db.selectFrom('schema_needs').select('migration').execute()).toEqual([
        { migration: '0001-baseline' },
      ]);
      expect(await storage.reader.db.selectFrom('settings').select('value').execute()).toEqual([{ value: 'yes' }]);
    };

    it('is taken over with its data if all of its migrations were applied', async () => {
      const testDatabase = await withRecord(REPLACED_MIGRATIONS);
      const second = await testDatabase.open();
      await isAdopted(second);
      await second.close();
      await isAdopted(await testDatabase.open());
    });

    it('keeps the migrations after the baseline that it has already', async () => {
      const testDatabase = await withRecord([...REPLACED_MIGRATIONS, '0132-server-diagnostics']);
      await isAdopted(await testDatabase.open());
    });

    it('is refused if it is older, with the commit that migrates it, and keeps its record', async () => {
      const older = REPLACED_MIGRATIONS.slice(0, -1);
      const testDatabase = await withRecord(older);
      const refusal = /55 of 56 migrations, the last is 0128-counted-instances.*start commit af4bd5b0 of Hortus once/;
      await expect(testDatabase.open()).rejects.toThrow(refusal);
      await expect(testDatabase.open()).rejects.toThrow(refusal);
    });

    it('is refused if it has a migration of another build, which is named', async () => {
      const testDatabase = await withRecord([...REPLACED_MIGRATIONS, '0140-branch']);
      await expect(testDatabase.open()).rejects.toThrow(/migrations that this version .* does not know: 0140-branch\./);
    });

    if (engine.name === 'postgres') {
      it('is taken over once by replicas that start together', async () => {
        const testDatabase = await withRecord(REPLACED_MIGRATIONS);
        const replicas = await Promise.all(Array.from({ length: 4 }, () => testDatabase.open()));
        for (const replica of replicas) await isAdopted(replica);
      });
    }
  });

  describe('a database that a newer version has migrated', () => {
    const migratedTo = async (later: string, needs: string | undefined) => {
      const testDatabase = await engine.testDatabase({ bare: true });
      const first = await testDatabase.open();
      await first.write(async (tx) => {
        await sql`insert into kysely_migration (name, timestamp) values (${later}, '2030-01-01')`.execute(tx.db);
        if (needs === undefined) return;
        await tx.db.updateTable('schema_needs').set({ migration: needs }).execute();
      });
      await first.close();
      return testDatabase;
    };

    it('still works with this version, which leaves the newer migrations alone', async () => {
      const testDatabase = await migratedTo('9998-later', undefined);
      const second = await testDatabase.open();
      const named = (name: string) =>
        sql`select 1 from kysely_migration where name = ${name}`.execute(second.reader.db);
      expect((await named('9998-later')).rows).toHaveLength(1);
      await second.write((tx) => tx.db.insertInto('settings').values({ name: 'a', value: 'b' }).execute());
    });

    it('is refused once the newer version has removed what this one uses', async () => {
      const testDatabase = await migratedTo('9999-removal', '9998-later');
      await expect(testDatabase.open()).rejects.toThrow(/belongs to a newer version of Hortus.*needs 9998-later/);
    });
  });

  if (engine.name === 'postgres') {
    it('replicas that start together migrate one after another', async () => {
      const testDatabase = await engine.testDatabase({ bare: true });
      const replicas = await Promise.all(Array.from({ length: 4 }, () => testDatabase.open()));
      for (const replica of replicas) expect(await recorded(replica)).toEqual(CURRENT);
    });
  }

  if (engine.name === 'sqlite') {
    it('a first start that fails leaves no part of the schema behind', async () => {
      const testDatabase = await engine.testDatabase({ bare: true });
      using file = new DatabaseSync(join(testDatabase.directory, 'hortus.db'));
      file.exec('create table mail_windows (x text)');
      await expect(testDatabase.open()).rejects.toThrow(/mail_windows already exists/);
      expect(file.prepare(`select 1 from sqlite_master where name = 'settings'`).all()).toEqual([]);
      file.exec('drop table mail_windows');
      expect(await recorded(await testDatabase.open())).toEqual(CURRENT);
    });
  }
});

const CURRENT = ['0001-baseline', '0132-server-diagnostics', '0133-sessions-of-two-halves'];

const recorded = async (storage: Storage): Promise<string[]> => {
  const { rows } = await storage.reader.run('select name from kysely_migration order by name', []);
  return rows.map((row) => (row as { name: string }).name);
};
