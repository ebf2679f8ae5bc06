import type { SignedInSession } from '@hortus/contract/resources/sign-in';
import type { Principal } from '../../identity/principal.ts';
import { endOtherSessions, endSession } from '../../identity/sessions.ts';
import { findSessionOf, type LiveSessions, liveSessions } from '../../identity/store.ts';
import { append } from '../../outbox/append.ts';
import { notFound, Problem } from '../../problem.ts';
import { iso, isoOrNull } from '../../records/time.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export interface SessionsDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly idleMs: number;
  readonly clock?: () => number;
}

type SessionPrincipal = Extract<Principal, { kind: 'session' }>;

/** Lists and ends the sessions of the signed-in user. */
export class Sessions {
  readonly #deps: SessionsDeps;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  list(principal: Principal, request: PageRequest): Promise<Page<SignedInSession>> {
    const { storage, pages, idleMs, clock = Date.now } = this.#deps;
    const { id, userId } = signedIn(principal);
    const live: LiveSessions = { userId, now: clock(), usedAfter: clock() - idleMs };
    return pages.read(request, liveSessions(storage.reader, live), (row) => recordOf(row, id));
  }

  /** Idempotent: an ended session is returned unchanged while its record exists. */
  async end(tx: Tx, principal: Principal, id: string): Promise<SignedInSession> {
    if (principal.kind !== 'session') throw notFound('session');
    const row = await findSessionOf(tx, principal.userId, id);
    if (!row) throw notFound('session');
    if (row.ended_at !== null) return recordOf(row, principal.id);
    await endSession(tx, id);
    await audit(tx, principal, { session_id: id });
    return recordOf({ ...row, ended_at: tx.now }, principal.id);
  }

  async endOthers(tx: Tx, principal: Principal): Promise<{ ended: number }> {
    const session = signedIn(principal);
    const ended = await endOtherSessions(tx, session.userId, session.id);
    if (ended > 0) await audit(tx, session, { ended });
    return { ended };
  }
}

function signedIn(principal: Principal): SessionPrincipal {
  if (principal.kind !== 'session') throw new Problem('FORBIDDEN', 'Only a signed-in user has sessions.');
  return principal;
}

const recordOf = (row: Row<'sessions'>, current: string): SignedInSession => ({
  id: row.id,
  current: row.id === current,
  address: row.address,
  user_agent: row.user_agent,
  created_at: iso(row.created_at),
  last_seen_at: iso(row.last_seen_at),
  expires_at: iso(row.expires_at),
  ended_at: isoOrNull(row.ended_at),
});

const audit = (tx: Tx, { userId, accountId }: SessionPrincipal, data: Record<string, unknown>): Promise<void> =>
  append(tx, {
    type: 'audit.session_ended',
    accountId,
    resourceType: 'user',
    resourceId: userId,
    actor: userId,
    data: { user_id: userId, ...data },
  });
