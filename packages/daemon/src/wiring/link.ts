import { aboutDaemon } from '../link/about.ts';
import { Channel } from '../link/channel.ts';
import { Results } from '../link/results.ts';
import { currentKey } from '../link/server-key.ts';
import { Service } from '../link/service.ts';
import { type UpdateHost, updaterOf } from '../update/update-host.ts';
import type { Base } from './base.ts';
import type { Engines } from './engine.ts';
import type { Late, LateCalls } from './late.ts';
import type { Leader } from './leader.ts';
import type { Routing } from './routing.ts';

export type Link = ReturnType<typeof wireLink>;

/** Connects to the service: by REST for what must arrive, by the channel for what must be known soon. */
export function wireLink(
  { config, policy, journal, log, boundary, leadership, engine, ingress }: Base & Leader & Engines & Routing,
  update: UpdateHost | undefined,
  late: Late<LateCalls>,
) {
  const { stateDirectory, cluster: isMember } = config;
  const service = new Service(config.url, currentKey(stateDirectory, config.key), () => leadership.epoch);
  const channel = new Channel({
    baseUrl: config.url,
    key: () => service.key,
    capabilities: isMember ? ['cluster'] : [],
    isUrgent: isMember,
    onDeposed: () => leadership.deposed(),
    about: () => aboutDaemon({ engine, ingress, journal }),
    onMessage: (message) => late.get().receive(message),
    onUp: () => late.get().connected(),
    log,
  });
  const results = new Results({ journal, service, channel, log });
  const minimum = policy.min_daemon_version;
  const updater = updaterOf({ host: update, stateDirectory, minimum, service, channel, journal, log, boundary });
  return { service, channel, results, updater };
}
