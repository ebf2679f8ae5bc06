import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { onDifferingEngines } from '../testing/engines.ts';
import { doOutside } from './outside.ts';
import type { Storage, Tx } from './storage.ts';

const put = (tx: Tx, name: string) => tx.db.insertInto('settings').values({ name, value: '' }).execute();
const names = async (storage: Storage) =>
  (await storage.reader.db.selectFrom('settings').select('name').where('name', 'like', 'of-%').execute()).map(
    ({ name }) => name,
  );

onDifferingEngines('locks of concurrent transactions', (engine) => {
  it('long work requested by a transaction blocks no other writer', async () => {
    const storage = await engine.open();
    let finish = () => {};
    const finished = new Promise<void>((done) => {
      finish = done;
    });
    const slow = storage.write(async (tx) => {
      await put(tx, 'of-slow');
      return tx.outside('work', async () => {
        await finished;
        return 'result';
      });
    });
    // Were a lock on the row or the only writer still held, this would wait for the work, which waits for this.
    await storage.write((tx) => put(tx, 'of-another'));
    expect(await names(storage)).toEqual(['of-another']);
    finish();
    expect(await slow).toBe('result');
    expect((await names(storage)).sort()).toEqual(['of-another', 'of-slow']);
  });

  it('work is repeated if its input changed meanwhile', async () => {
    const storage = await engine.open();
    let version = 1;
    const done: number[] = [];
    const result = await storage.write(async (tx) => {
      const read = version;
      return tx.outside(`work on ${read}`, async () => {
        done.push(read);
        version = 2;
        return read;
      });
    });
    expect(result).toBe(2);
    expect(done).toEqual([1, 2]);
  });

  it('a transaction that requests different work each time fails in the end', async () => {
    const storage = await engine.open();
    let version = 0;
    const endless = storage.write(async (tx) => tx.outside(`work on ${version++}`, async () => {}));
    await expect(endless).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('an error of the work is the error of the transaction', async () => {
    const storage = await engine.open();
    const failing = storage.write(async (tx) =>
      tx.outside('work', async () => {
        await sleep(1);
        throw new Error('too costly');
      }),
    );
    await expect(failing).rejects.toThrow('too costly');
  });

  it('a reader is not run twice', async () => {
    const { reader } = await engine.open();
    expect(
      await doOutside(
        reader,
        () => 'work',
        async () => 'result',
      ),
    ).toBe('result');
  });
});
