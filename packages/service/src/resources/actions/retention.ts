import { count, type Removal } from '../../retention/removal.ts';

/** The execution itself stays, without what it wrote. */
export const removeOutputs: Removal = (tx, before, most) =>
  count(
    tx.db
      .updateTable('executions')
      .set({ output: null })
      .where('id', 'in', (old) =>
        old
          .selectFrom('executions')
          .select('id')
          .where('output', 'is not', null)
          .where('finished_at', '<', before)
          .orderBy('finished_at')
          .limit(most),
      )
      .returning('id')
      .execute(),
  );
