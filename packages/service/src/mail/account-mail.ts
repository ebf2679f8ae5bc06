import { createHash } from 'node:crypto';
import { enqueue } from '../jobs/enqueue.ts';
import { JobFailure, type JobKind } from '../jobs/job.ts';
import { newId } from '../records/ids.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import type { Vault } from '../vault/vault.ts';
import type { Mailer } from './mailer.ts';
import { countMail } from './store.ts';

/** Job that sends a mail about an account. */
export const MAIL = 'mail.send';

export interface AccountMail {
  readonly accountId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends a mail if the transaction commits and the operator has set a mail server; otherwise does nothing. */
export type SendAccountMail = (tx: Tx, mail: AccountMail) => Promise<void>;

const HOUR_MS = 3_600_000;
/** Protects mailboxes: a user who may invite could otherwise flood any address. */
const MAX_PER_HOUR = 5;

interface Payload {
  readonly id: string;
  readonly account_id: string;
  readonly sealed: string;
}

const place = (id: string) => `mail ${id}`;

/** Enqueues the mail. It is sealed, because the link in it is a credential. */
export const sendAccountMail =
  (vault: Pick<Vault, 'encrypt'>, mailer: Mailer | undefined): SendAccountMail =>
  async (tx, { accountId, ...mail }) => {
    if (!mailer) return;
    const hash = createHash('sha256').update(mail.to).digest('hex');
    if ((await countMail(tx, hash, Math.floor(tx.now / HOUR_MS) * HOUR_MS)) > MAX_PER_HOUR) return;
    const id = newId('notification');
    const payload: Payload = {
      id,
      account_id: accountId,
      sealed: await vault.encrypt(tx, accountId, JSON.stringify(mail), place(id)),
    };
    await enqueue(tx, { kind: MAIL, payload });
  };

export const mailJob = (storage: Storage, vault: Pick<Vault, 'decrypt'>, mailer: Mailer): JobKind => ({
  run: async ({ job }) => {
    const { id, account_id, sealed } = job.payload as Payload;
    const text = await vault.decrypt(storage.reader, account_id, sealed, place(id));
    const { to, ...mail } = JSON.parse(text) as Omit<AccountMail, 'accountId'>;
    const { status, error } = await mailer.send({ id, ...mail, to: [to] });
    if (status === null || status < 200 || status >= 300)
      throw new JobFailure(error ?? `The mail server answered ${status}.`);
    return 'done';
  },
});
