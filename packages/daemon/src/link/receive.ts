import type { UpdateOrder } from '@hortus/contract/releases/daemon-update';
import type { Actions } from '../actions/actions.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { DialBack } from '../streams/dial-back.ts';
import { acceptOrder, type OrderMessage } from '../trust/accept-order.ts';
import type { Identity } from '../trust/identity.ts';
import type { Channel } from './channel.ts';
import type { Leadership } from './leadership.ts';
import type { FromService } from './messages.ts';
import type { Poller } from './poller.ts';
import type { Results } from './results.ts';
import { keepRotatedKey } from './server-key.ts';
import type { Service } from './service.ts';
import { updateOrderIn } from './update-message.ts';

export interface Recipients {
  config: { readonly stateDirectory: string; readonly key: string };
  log: Log;
  identity: Identity;
  journal: Pick<Journal, 'keyPair'>;
  service: Service;
  channel: Channel;
  leadership: Leadership;
  /** Runs work once this daemon is ready to act; false if it does not lead its cluster. */
  whenLeading(work: () => void): boolean;
  actions: Actions;
  results: Results;
  poller: Poller;
  dialBack: DialBack;
  updater: { order(order: UpdateOrder): void };
}

/** Dispatches a message of the service. Messages that change anything must be signed. */
export function receive(message: FromService, to: Recipients): void {
  switch (message.type) {
    case 'action_request':
      act(message, to);
      break;
    case 'action_cancel': {
      const order = accepted(message, to);
      if (order) to.actions.cancel(order.execution_id);
      break;
    }
    case 'deployment_available':
    case 'transfer_available':
      to.poller.wake();
      break;
    case 'result_recorded':
      to.results.recorded(message.execution_id);
      break;
    case 'rotate_key': {
      const order = accepted(message, to);
      if (order) rotate(order, to);
      break;
    }
    case 'stream_open': {
      const order = accepted(message, to);
      if (order) to.dialBack.open(order);
      break;
    }
    case 'daemon_update': {
      const order = accepted(message, to);
      if (order) to.updater.order(updateOrderIn(order));
      break;
    }
    case 'identity_conflict':
      to.log.error(
        {
          fingerprint: message.fingerprint,
          seen_at: message.seen_at,
        },
        'another daemon used the key of this server and was rejected; rotate the key if that daemon is not yours',
      );
      break;
    case 'leadership': {
      const order = accepted(message, to);
      if (order) to.leadership.received(order);
      break;
    }
    case 'authenticated':
      to.identity.introduced(message);
      if (!to.channel.offers('nonce'))
        to.log.warn('the service is older than this daemon: its orders are refused until it is updated');
      break;
  }
}

function act(message: Extract<FromService, { type: 'action_request' }>, to: Recipients): void {
  const order = accepted(message, to);
  if (!order) return;
  const { execution_id, instance_id, container_name, action, params, traceparent } = order;
  const traced = traceparent === undefined ? {} : { traceparent };
  const handle = () => to.actions.handle({ execution_id, instance_id, container_name, action, params, ...traced });
  if (to.whenLeading(handle)) return;
  // The service ended it if another member leads; otherwise it learns that nothing was done.
  const error = 'The action was not started: this daemon does not lead its cluster.';
  to.channel.send({ type: 'action_failed', execution_id, error });
}

/**
 * Verifies and opens an order, or rejects it. A rejected order is not journalled: its id may belong to a valid order.
 */
function accepted<Order extends OrderMessage>(message: Order, to: Recipients): Order | undefined {
  const { identity, journal, channel, log } = to;
  const { publicKey: key, serverId } = identity;
  const { privateKey } = journal.keyPair;
  const result = acceptOrder(message, { key, privateKey, serverId, connection: channel.orders, now: Date.now() });
  if (result.ok) return result.order;
  const { type, execution_id } = message;
  log.error({ type, execution: execution_id, reason: result.message }, 'an order was rejected');
  // A replay must not fail the execution that it was recorded of.
  if (type === 'action_request' && !(execution_id !== undefined && to.actions.knows(execution_id)))
    channel.send({ type: 'action_failed', execution_id, error: `The daemon refused the order: ${result.message}.` });
  return undefined;
}

/**
 * Acknowledges before using the new key: its first use invalidates the old one, which authenticates this connection.
 */
function rotate(
  { api_key: key, rotation }: { api_key: string; rotation?: string },
  { config, log, service, channel }: Recipients,
): void {
  keepRotatedKey(config.stateDirectory, config.key, key);
  channel.send({ type: 'key_rotated', rotation });
  service.useKey(key);
  log.info('the server key was rotated');
}
