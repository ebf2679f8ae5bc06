import type { KeyObject } from 'node:crypto';
import { orderContext } from '@hortus/template/sealing/contexts';
import { openFields, type Sealed } from '@hortus/template/sealing/sealed-fields';
import { isSignedBy } from './manifest-signature.ts';

/** Fields that every order of the service carries. */
export interface OrderMessage {
  type: string;
  execution_id?: string;
  server_id?: string;
  issued_at?: string;
  expires_at?: string;
  signature?: string;
}

export interface OrderExpectation {
  /** Of the service; undefined as long as none is pinned, and then no order is obeyed. */
  key: KeyObject | undefined;
  /** Opens what is sealed to this daemon. */
  privateKey: KeyObject;
  serverId: string | undefined;
  now: number;
}

export type AcceptedOrder<Order> = { ok: true; order: Order } | { ok: false; message: string };

/** An order from further ahead than clocks differ would outlive the journal, which is what stops replays. */
const MOST_AHEAD_MS = 24 * 3_600_000;

/**
 * Decides whether a message is an order of the pinned service for this very server, in its time, and opens what is sealed in
 * it. That it is not a replay is for the journal to say, which knows every execution id for longer than an order is valid.
 */
export function acceptOrder<Order extends OrderMessage>(
  message: Sealed<Order>,
  { key, privateKey, serverId, now }: OrderExpectation,
): AcceptedOrder<Order> {
  const { signature = null, server_id, issued_at = '', expires_at = '' } = message;
  if (key === undefined) return refused('this daemon knows no public key of the service; register the server again');
  if (!isSignedBy(key, { ...message, signature }))
    return refused(
      'it is not signed by the service that this server was registered with; an older service must be updated',
    );
  if (server_id === undefined || server_id !== serverId)
    return refused(`it is for server ${server_id}, not for this one`);
  if (!(Date.parse(expires_at) > now)) return refused(`it has expired: it was issued at ${issued_at}; check the clock`);
  if (!(Date.parse(issued_at) < now + MOST_AHEAD_MS)) return refused(`it was issued in the future: ${issued_at}`);
  try {
    return { ok: true, order: openFields(message, privateKey, orderContext(message)) };
  } catch {
    return refused('its secrets are sealed to another key pair than that of this daemon');
  }
}

const refused = (message: string): { ok: false; message: string } => ({ ok: false, message });
