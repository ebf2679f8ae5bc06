import { timingSafeEqual } from 'node:crypto';

/** What a ticket says; every replica can verify it. */
export interface Ticket {
  readonly streamId: string;
  readonly serverId: string;
  readonly accountId: string;
  /** Address of the replica that waits for the stream. */
  readonly replicaUrl: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Computes a code of an account that only the service can compute. */
export type Hmac = (accountId: string, text: string) => Promise<string>;

const codeOf = (hmac: Hmac, accountId: string, claims: string) => hmac(accountId, `stream ticket ${claims}`);

export async function printTicket(ticket: Ticket, hmac: Hmac): Promise<string> {
  const { streamId, serverId, accountId, replicaUrl, expiresAt } = ticket;
  const claims = Buffer.from(JSON.stringify([streamId, serverId, accountId, replicaUrl, expiresAt])).toString(
    'base64url',
  );
  return `${claims}.${await codeOf(hmac, accountId, claims)}`;
}

const MAX_LENGTH = 2_048;

/** Reads a ticket that a daemon shows; undefined unless it is genuine, for that server and not expired. */
export async function readTicket(
  text: string,
  of: { readonly serverId: string; readonly accountId: string },
  hmac: Hmac,
  now: number,
): Promise<Ticket | undefined> {
  const [claims = '', code = ''] = text.length > MAX_LENGTH ? [] : text.split('.');
  // Verified with the key of the caller's account before anything in it is used.
  const right = Buffer.from(await codeOf(hmac, of.accountId, claims));
  const input = Buffer.from(code);
  if (input.length !== right.length || !timingSafeEqual(input, right)) return undefined;
  const [streamId, serverId, accountId, replicaUrl, expiresAt] = JSON.parse(
    Buffer.from(claims, 'base64url').toString(),
  );
  if (serverId !== of.serverId || accountId !== of.accountId || expiresAt <= now) return undefined;
  return { streamId, serverId, accountId, replicaUrl, expiresAt };
}
