import { definitionMachine } from '@hortus/contract/machines/definition';
import { describe, expect, it } from 'vitest';
import { Problem } from '../problem.ts';
import { forUpdate } from '../storage/locking.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import { definitionRow, insertDefinitionParents } from '../testing/rows.ts';
import { begin, type Lifecycle, transition } from './transition.ts';

const lifecycle: Lifecycle<typeof definitionMachine, 'definitions'> = {
  machine: definitionMachine,
  table: 'definitions',
  resource: 'definition',
  guards: { 'succeeded before': (row) => row.succeeded_at !== null },
  accountOf: (row) => row.account_id,
  eventData: (row) => ({ status: row.status }),
};

const read = (tx: Tx, id: string) =>
  forUpdate(tx, tx.db.selectFrom('definitions').selectAll().where('id', '=', id)).executeTakeFirstOrThrow();

const events = (storage: Storage) =>
  storage.reader.db.selectFrom('events').select(['type', 'actor', 'data']).orderBy('position').execute();

onDifferingEngines('transactions that lose a race', (engine) => {
  async function insertDefinition() {
    const storage = await engine.open();
    const parents = await insertDefinitionParents(storage);
    const { id } = await storage.write((tx) => begin(tx, lifecycle, definitionRow(tx, parents), 'create', 'usr_1'));
    return { storage, id };
  }

  describe('a change of status', () => {
    it('writes the row and its event together', async () => {
      const { storage, id } = await insertDefinition();
      const archived = await storage.write(async (tx) =>
        transition(tx, lifecycle, await read(tx, id), 'archive', { actor: 'key_1', set: { name: 'gone' } }),
      );
      expect(archived).toMatchObject({ status: 'archived', name: 'gone' });
      const row = await storage.reader.db.selectFrom('definitions').selectAll().executeTakeFirst();
      expect(row).toEqual(archived);
      expect(await events(storage)).toEqual([
        { type: 'definition.created', actor: 'usr_1', data: '{"status":"pending"}' },
        { type: 'definition.updated', actor: 'key_1', data: '{"status":"archived"}' },
      ]);
    });

    it('writes neither if the transaction fails afterwards', async () => {
      const { storage, id } = await insertDefinition();
      const failing = storage.write(async (tx) => {
        await transition(tx, lifecycle, await read(tx, id), 'archive', { actor: null });
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      const row = await storage.reader.db.selectFrom('definitions').select('status').executeTakeFirst();
      expect(row?.status).toBe('pending');
      expect(await events(storage)).toHaveLength(1);
    });

    it('follows the guards of the machine', async () => {
      const { storage, id } = await insertDefinition();
      const move = (name: 'archive' | 'activate' | 'succeed', set = {}) =>
        storage.write(async (tx) => transition(tx, lifecycle, await read(tx, id), name, { actor: null, set }));
      await move('archive');
      expect((await move('activate')).status).toBe('pending');
      await move('succeed', { succeeded_at: 1 });
      await move('archive');
      expect((await move('activate')).status).toBe('active');
    });

    it('is refused with the current status if the machine has no such move', async () => {
      const { storage, id } = await insertDefinition();
      const refused = storage.write(async (tx) =>
        transition(tx, lifecycle, await read(tx, id), 'activate', { actor: null }),
      );
      await expect(refused).rejects.toThrow(Problem);
      await expect(refused).rejects.toMatchObject({ details: { reason: 'state', field: 'status', status: 'pending' } });
    });
  });

  if (engine.name === 'postgres') {
    it('a move is decided again if another transaction changed the row first', async () => {
      const { storage, id } = await insertDefinition();
      let runs = 0;
      const unlocked = (tx: Tx) =>
        tx.db.selectFrom('definitions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      const slow = storage.write(async (tx) => {
        const row = await unlocked(tx);
        if (runs++ === 0) {
          await storage.write(async (other) =>
            transition(other, lifecycle, await unlocked(other), 'archive', { actor: null }),
          );
        }
        return await transition(tx, lifecycle, row, 'archive', { actor: null });
      });
      await expect(slow).rejects.toMatchObject({ details: { status: 'archived' } });
      expect(runs).toBe(2);
      expect(await events(storage)).toHaveLength(2);
    });
  }
});
