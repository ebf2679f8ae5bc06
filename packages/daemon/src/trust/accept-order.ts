import type { KeyObject } from 'node:crypto';
import { orderContext } from '@hortus/template/sealing/contexts';
import { openFields, type Sealed } from '@hortus/template/sealing/sealed-fields';
import type { ConnectionOrders, OrderBinding } from './connection-orders.ts';
import { isSignedBy } from './manifest-signature.ts';

/** Fields common to all orders of the service. */
export interface OrderMessage extends OrderBinding {
  type: string;
  execution_id?: string;
  server_id?: string;
  issued_at?: string;
  expires_at?: string;
  signature?: string;
}

export interface OrderExpectation {
  /** Public key of the service; while none is pinned, every order is rejected. */
  key: KeyObject | undefined;
  /** Decrypts values sealed to this daemon. */
  privateKey: KeyObject;
  serverId: string | undefined;
  /** Of the present connection. */
  connection: Pick<ConnectionOrders, 'take'>;
  now: number;
}

export type AcceptedOrder<Order> = { ok: true; order: Order } | { ok: false; message: string };

/** Limits orders from the future: they would outlive the journal, which prevents replays. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/**
 * Decides whether a message is a currently valid order of the pinned service for this server, and decrypts its sealed
 * fields. An order is taken once, on the connection that it was issued for. The journal also remembers execution ids, because the
 * service may send an execution again.
 */
export function acceptOrder<Order extends OrderMessage>(
  message: Sealed<Order>,
  { key, privateKey, serverId, connection, now }: OrderExpectation,
): AcceptedOrder<Order> {
  const { signature = null, server_id, issued_at = '', expires_at = '' } = message;
  if (key === undefined) return refused('this daemon has no public key of the service; register the server again');
  if (!isSignedBy(key, { ...message, signature }))
    return refused(
      'it is not signed by the service that this server was registered with; an older service must be updated',
    );
  if (server_id === undefined || server_id !== serverId)
    return refused(`it is for server ${server_id}, not for this one`);
  if (!(Date.parse(expires_at) > now)) return refused(`it has expired: it was issued at ${issued_at}; check the clock`);
  if (!(Date.parse(issued_at) < now + MAX_AHEAD_MS)) return refused(`it was issued in the future: ${issued_at}`);
  const replayed = connection.take(message);
  if (replayed !== undefined) return refused(replayed);
  try {
    return { ok: true, order: openFields(message, privateKey, orderContext(message)) };
  } catch {
    return refused('its secrets are sealed to another key pair, not to that of this daemon');
  }
}

const refused = (message: string): { ok: false; message: string } => ({ ok: false, message });
