import { forUpdate } from '../../storage/locking.ts';
import { statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export type UsageRow = Row<'assistant_usage'>;
export type UsageKey = Pick<UsageRow, 'account_id' | 'asker' | 'month'>;

const ofKey = (db: Queries['db'], { account_id, asker, month }: UsageKey) =>
  db
    .selectFrom('assistant_usage')
    .selectAll()
    .where('account_id', '=', account_id)
    .where('asker', '=', asker)
    .where('month', '=', month);

const byKey = statement<UsageKey, UsageRow>(ofKey);

export const findUsage = async (queries: Queries, key: UsageKey): Promise<UsageRow | undefined> =>
  (await byKey(queries, key))[0];

/** Locks the usage row of this month; creates it if missing. */
export async function holdUsage(tx: Tx, key: UsageKey): Promise<UsageRow> {
  const empty = { ...key, questions: 0, prompt_tokens: 0, answer_tokens: 0, updated_at: tx.now };
  await tx.db
    .insertInto('assistant_usage')
    .values(empty)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return await forUpdate(tx, ofKey(tx.db, key)).executeTakeFirstOrThrow();
}

export async function addUsage(
  tx: Tx,
  { account_id, asker, month }: UsageKey,
  more: Pick<UsageRow, 'questions' | 'prompt_tokens' | 'answer_tokens'>,
): Promise<void> {
  await tx.db
    .updateTable('assistant_usage')
    .set((eb) => ({
      questions: eb('questions', '+', more.questions),
      prompt_tokens: eb('prompt_tokens', '+', more.prompt_tokens),
      answer_tokens: eb('answer_tokens', '+', more.answer_tokens),
      updated_at: tx.now,
    }))
    .where('account_id', '=', account_id)
    .where('asker', '=', asker)
    .where('month', '=', month)
    .execute();
}
