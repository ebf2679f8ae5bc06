import type { Logger } from 'pino';
import type { Bus } from './bus.ts';
import { refuseTooLong, Subscriptions } from './subscriptions.ts';

/** The bus of a single process: messages are never missed, so there are no gaps. */
export function openLocalBus(options: { log: Pick<Logger, 'error'> }): Bus {
  const subscriptions = new Subscriptions(options.log);
  return {
    publish(topic, message = '') {
      refuseTooLong(topic, message);
      subscriptions.notify(topic, message);
    },
    subscribe: (topic, listener) => subscriptions.add(topic, listener),
    onGap: (listener) => subscriptions.addGap(listener),
    close: async () => {},
  };
}
