import type { InstanceReading, ServerReading } from '@hortus/contract/resources/metrics';
import type { Follow } from '../../http/handler.ts';
import { may, type Principal } from '../../identity/principal.ts';
import { notFound } from '../../problem.ts';
import { type FeedDeps, MetricsFeeds } from './feed.ts';
import { type EventOf, followReadings, readingEvent } from './follow.ts';
import { type MetricsTarget, storedReading } from './server-readings.ts';

export interface LiveMetricsDeps extends FeedDeps {
  /** Finds the server of an instance; throws if the caller has no such instance. */
  readonly serverOf: (principal: Principal, instanceId: string) => Promise<string>;
}

/** Reads and follows the current usage of servers and instances. */
export class LiveMetrics {
  readonly #deps: LiveMetricsDeps;
  readonly #feeds: MetricsFeeds;

  constructor(deps: LiveMetricsDeps) {
    this.#deps = deps;
    this.#feeds = new MetricsFeeds(deps);
  }

  async server(principal: Principal, serverId: string): Promise<ServerReading> {
    const reading = await storedReading(this.#deps, targetOf(principal, serverId));
    if (!reading) throw notFound('server');
    return shownTo(principal, reading);
  }

  async followServer(principal: Principal, serverId: string): Promise<Follow> {
    const target = targetOf(principal, serverId);
    if (!(await this.#deps.capacity(target))) throw notFound('server');
    const shown = may(principal, 'instances:read') ? 'server with instances' : 'server';
    return followReadings(this.#feeds, target, (reading) =>
      readingEvent(reading, shown, () => shownTo(principal, reading)),
    );
  }

  async followInstance(principal: Principal, instanceId: string, component: string | undefined): Promise<Follow> {
    const serverId = await this.#deps.serverOf(principal, instanceId);
    const shown = JSON.stringify([instanceId, component]);
    const eventOf: EventOf = async (reading) => {
      const isMissing = !reading.instances.some(({ instance_id }) => instance_id === instanceId);
      // It is stopped, was released, or has moved: then the next stream follows it on its new server.
      if (isMissing && (await this.#deps.serverOf(principal, instanceId)) !== serverId) return undefined;
      return readingEvent(reading, shown, () => instanceReading(reading, instanceId, component, this.#now()));
    };
    return followReadings(this.#feeds, targetOf(principal, serverId), eventOf);
  }

  #now(): number {
    return (this.#deps.clock ?? Date.now)();
  }
}

const targetOf = ({ accountId }: Principal, serverId: string): MetricsTarget => ({ accountId, serverId });

const shownTo = (principal: Principal, reading: ServerReading): ServerReading =>
  may(principal, 'instances:read') ? reading : { ...reading, instances: [] };

function instanceReading(
  { at, live, instances }: ServerReading,
  instance_id: string,
  component: string | undefined,
  now: number,
): InstanceReading {
  const components = instances.find((instance) => instance.instance_id === instance_id)?.components ?? [];
  return {
    instance_id,
    // Before the first report of the server.
    at: at ?? new Date(now).toISOString(),
    live,
    components: components.filter((item) => component === undefined || item.component === component),
  };
}
