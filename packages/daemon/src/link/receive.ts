import type { Actions } from '../actions/actions.ts';
import type { DaemonConfig } from '../config.ts';
import type { Log } from '../log.ts';
import type { Identity } from '../trust/identity.ts';
import type { Channel } from './channel.ts';
import type { FromService } from './messages.ts';
import type { Poller } from './poller.ts';
import type { Results } from './results.ts';
import { keepRotatedKey } from './server-key.ts';
import type { Service } from './service.ts';

export interface Recipients {
  config: DaemonConfig;
  log: Log;
  identity: Identity;
  service: Service;
  channel: Channel;
  actions: Actions;
  results: Results;
  poller: Poller;
}

/** Brings a message of the service to whom it concerns. */
export function receive(message: FromService, to: Recipients): void {
  switch (message.type) {
    case 'action_request': {
      const { type: _, ...request } = message;
      to.actions.handle(request);
      break;
    }
    case 'action_cancel':
      to.actions.cancel(message.execution_id);
      break;
    case 'deployment_available':
    case 'transfer_available':
      to.poller.wake();
      break;
    case 'result_recorded':
      to.results.recorded(message.execution_id);
      break;
    case 'rotate_key':
      rotate(message, to);
      break;
    case 'authenticated':
      to.identity.introduced(message);
      break;
  }
}

/** Acknowledged before it is used: the old key, which this connection hangs on, dies with the first use of the new one. */
function rotate(
  { api_key: key, rotation }: { api_key: string; rotation?: string },
  { config, log, service, channel }: Recipients,
): void {
  keepRotatedKey(config.stateDirectory, config.key, key);
  channel.send({ type: 'key_rotated', rotation });
  service.useKey(key);
  log.info('the key of this server was rotated');
}
