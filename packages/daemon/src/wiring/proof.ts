import { setTimeout as sleep } from 'node:timers/promises';
import { aboutDaemon } from '../link/about.ts';
import { Channel } from '../link/channel.ts';
import type { Log } from '../log.ts';
import type { Proof } from '../update/candidate.ts';
import type { Parts } from './wiring.ts';

/** A busy engine may be slow once; a version that cannot talk to it fails soon, so that the former one goes on. */
const ATTEMPTS = 3;
const RETRY_MS = 500;

/**
 * Proves that the parts of this version work: the engine lists the containers, a running Caddy answers, and the service accepts
 * the connection. The parts are wired but never started, and orders of the service are ignored; it sends them again to the
 * daemon that goes on.
 */
export function proofOf({ engine, ingress, journal, identity, service, updater }: Parts, log: Log): Proof {
  const accepted = Promise.withResolvers<void>();
  const channel = new Channel({
    baseUrl: service.baseUrl,
    key: () => service.key,
    about: () => aboutDaemon({ engine, ingress, journal }),
    onMessage: () => undefined,
    onUp: () => accepted.resolve(),
    log,
  });
  return {
    async prove(step) {
      step('list the containers');
      await attempted(async () => {
        await engine.info();
        await engine.containers({ labels: { 'hortus.server': identity.serverId ?? '' } });
      });
      step('reach Caddy');
      await attempted(() => ingress.requireControl());
      step('connect to the service');
      channel.start();
      await accepted.promise;
      updater.reportTo(channel);
    },
    close() {
      channel.stop();
      engine.close();
      journal.close();
    },
  };
}

async function attempted(work: () => Promise<void>, attempts = ATTEMPTS): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (attempts <= 1) throw error;
    await sleep(RETRY_MS);
    await attempted(work, attempts - 1);
  }
}
