import { append } from '../../outbox/append.ts';
import type { Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export const auditUser = (
  tx: Tx,
  type: `audit.${string}`,
  user: Pick<Row<'users'>, 'id' | 'account_id'>,
  actor: string | null,
  data: Record<string, unknown>,
): Promise<void> =>
  append(tx, {
    type,
    accountId: user.account_id,
    resourceType: 'user',
    resourceId: user.id,
    actor,
    data: { user_id: user.id, ...data },
  });
