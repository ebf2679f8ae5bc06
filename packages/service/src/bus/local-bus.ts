import type { Logger } from 'pino';
import type { Bus } from './bus.ts';
import { refuseTooLong, Subscriptions } from './subscriptions.ts';

/** The bus of a service that is one process: nothing is ever missed, so there is never a gap. */
export function openLocalBus(options: { log: Pick<Logger, 'error'> }): Bus {
  const subscriptions = new Subscriptions(options.log);
  return {
    publish(topic, message = '') {
      refuseTooLong(topic, message);
      subscriptions.tell(topic, message);
    },
    subscribe: (topic, listener) => subscriptions.add(topic, listener),
    onGap: (listener) => subscriptions.addGap(listener),
    close: async () => {},
  };
}
