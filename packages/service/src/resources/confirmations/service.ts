import { endpoints } from '@hortus/contract/endpoints';
import type { Confirmation, ConfirmationRequest } from '@hortus/contract/resources/confirmations';
import type { InnerCaller, Invoke } from '../../http/invoke.ts';
import { actorOf, type Principal, requirePermission } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin, transition } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { nameOfKey } from '../keys/public.ts';
import { type ConfirmableCall, type Description, describeCall } from './description.ts';
import { scheduleExpiry } from './expiry-job.ts';
import { confirmationLifecycle } from './lifecycle.ts';
import { confirmationRecord } from './record.ts';
import { type ConfirmationRow, confirmationList, findConfirmation, lockConfirmation, lockPending } from './store.ts';

export interface ConfirmationsDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly publicUrl: string;
  readonly invoke: Invoke;
}

/** How long a person may take. */
const VALID_MS = 60 * 60_000;
/** A person cannot decide more at a time, and an assistant in a loop must not fill the page. */
const MAX_PENDING = 50;

type Described = ConfirmableCall & Description & { readonly reason: string | null };

/** Keeps dangerous calls of programs until a person decides, and carries the confirmed ones out as that person. */
export class Confirmations {
  readonly #deps: ConfirmationsDeps;
  constructor(deps: ConfirmationsDeps) {
    this.#deps = deps;
  }

  /** Checks a call and describes it, before a transaction begins. */
  async describe(caller: InnerCaller, wanted: ConfirmationRequest): Promise<Described> {
    const { endpoint, params, query = {}, body = {}, reason = null } = wanted;
    const call = { endpoint, params, query, body };
    return { ...call, reason, ...(await describeCall(this.#deps.invoke, caller, call)) };
  }

  async create(tx: Tx, principal: Principal, described: Described): Promise<Confirmation> {
    const { accountId } = principal;
    const { endpoint, title, subject, reason, ...call } = described;
    const pending = await lockPending(tx, accountId);
    if (pending.length >= MAX_PENDING)
      throw conflict('endpoint', 'pending', `${MAX_PENDING} calls already wait for a confirmation.`);
    const row = await begin(
      tx,
      confirmationLifecycle,
      {
        id: newId('confirmation'),
        account_id: accountId,
        endpoint,
        call: JSON.stringify(call),
        title,
        reason,
        subject,
        error: null,
        result_id: null,
        requested_by: actorOf(principal),
        requested_by_name: principal.kind === 'key' ? await nameOfKey(tx, accountId, principal.id) : null,
        decided_by: null,
        expires_at: tx.now + VALID_MS,
        created_at: tx.now,
        updated_at: tx.now,
      } as ConfirmationRow,
      'request',
      actorOf(principal),
    );
    await scheduleExpiry(tx, row.id, row.expires_at);
    await audit(tx, 'audit.confirmation_requested', row, actorOf(principal));
    return this.#record(row);
  }

  async list({ accountId }: Principal, status: Confirmation['status'] | undefined, request: PageRequest) {
    const { storage, pages } = this.#deps;
    const page = await pages.read(request, confirmationList(storage.reader, { accountId, status }));
    return { ...page, data: page.data.map((row) => this.#record(row)) } satisfies Page<Confirmation>;
  }

  async read({ accountId }: Principal, id: string): Promise<Confirmation> {
    const row = await findConfirmation(this.#deps.storage.reader, accountId, id);
    if (!row) throw notFound('confirmation');
    return this.#record(row);
  }

  /** Carries a call out once, with the permissions of the person who confirms it. */
  async confirm(caller: InnerCaller, id: string): Promise<Confirmation> {
    const { storage, invoke } = this.#deps;
    const { principal } = caller;
    const row = await storage.write(async (tx) => {
      const pending = await this.#decidable(tx, principal, id);
      // Checked first, so that another person can still confirm it.
      const { permission } = endpoints[pending.endpoint];
      if (permission !== 'session' && permission !== 'public') requirePermission(principal, permission);
      return this.#decide(tx, principal, pending, 'confirm');
    });
    const call = JSON.parse(row.call) as ConfirmableCall;
    let outcome: Outcome;
    try {
      const idempotencyKey = `confirmation-${id}`;
      outcome = {
        move: 'complete',
        set: { result_id: idOf(await invoke(row.endpoint, caller, { ...call, idempotencyKey })) },
      };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      outcome = { move: 'fail', set: { error: error.message } };
    }
    return storage.write(async (tx) => {
      const confirmed = (await lockConfirmation(tx, principal.accountId, id)) ?? row;
      const actor = actorOf(principal);
      const ended = await transition(tx, confirmationLifecycle, confirmed, outcome.move, { actor, set: outcome.set });
      await audit(tx, `audit.confirmation_${ended.status}`, ended, actor);
      return this.#record(ended);
    });
  }

  async reject(tx: Tx, principal: Principal, id: string): Promise<Confirmation> {
    return this.#record(await this.#decide(tx, principal, await this.#decidable(tx, principal, id), 'reject'));
  }

  /** Only a person decides: a key may be in the hands of the program that asks. */
  async #decidable(tx: Tx, principal: Principal, id: string): Promise<ConfirmationRow> {
    const row = await lockConfirmation(tx, principal.accountId, id);
    if (!row) throw notFound('confirmation');
    if (principal.kind !== 'session')
      throw new Problem('FORBIDDEN', 'Only a person who has signed in may decide this; an API key may not.');
    if (row.status === 'pending' && row.expires_at <= tx.now)
      throw conflict('id', 'expired', 'the confirmation has expired; it must be requested again.');
    return row;
  }

  async #decide(
    tx: Tx,
    principal: Principal,
    row: ConfirmationRow,
    move: 'confirm' | 'reject',
  ): Promise<ConfirmationRow> {
    const decided_by = actorOf(principal);
    const decided = await transition(tx, confirmationLifecycle, row, move, { actor: decided_by, set: { decided_by } });
    await audit(tx, `audit.confirmation_${decided.status}`, decided, decided_by);
    return decided;
  }

  #record(row: ConfirmationRow): Confirmation {
    return confirmationRecord(row, this.#deps.publicUrl);
  }
}

type Outcome =
  | { readonly move: 'complete'; readonly set: { result_id: string | null } }
  | { readonly move: 'fail'; readonly set: { error: string } };

/** Returns the id of what a call has started or changed. */
function idOf(response: unknown): string | null {
  const { execution, data } = response as { execution?: { id: string }; data?: { id: string } };
  return execution?.id ?? data?.id ?? null;
}

const audit = (tx: Tx, type: `audit.${string}`, row: ConfirmationRow, actor: string): Promise<void> =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'confirmation',
    resourceId: row.id,
    actor,
    data: confirmationLifecycle.eventData(row),
  });
