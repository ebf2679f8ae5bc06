import { setTimeout as sleep } from 'node:timers/promises';
import { deploymentMachine } from '@hortus/contract/machines/deployment';
import { queueDepth } from '../jobs/queue-depth.ts';
import { countUntold } from '../outbox/store.ts';
import type { GaugeSource, GaugeValues } from '../process/metrics.ts';
import { idsFrom } from '../records/ids.ts';
import { countByStatus } from '../resources/deployments/public.ts';
import type { Queries } from '../storage/storage.ts';

export interface GaugeDeps {
  readonly reader: Queries;
  readonly jobKinds: readonly string[];
  /** Connections of daemons to this process. */
  readonly daemons: () => number;
  /** Event streams of clients of this process. */
  readonly streams: () => number;
  /** Streams between this process and daemons. */
  readonly daemonStreams: () => number;
  readonly clock?: () => number;
}

/** However often metrics are collected, the database is asked only once in this time. */
const KEEP_MS = 10_000;
/** How long an answer waits for the database; then it goes without these gauges. */
const TIMEOUT_MS = 2_000;
const MAX = 10_000;
const RECENT_MS = 3_600_000;

/** Values of the whole installation that are read from the database; every replica reports the same. */
async function readState({ reader, jobKinds, clock = Date.now }: GaugeDeps) {
  const now = clock();
  const { due, late } = await queueDepth(reader, jobKinds, now);
  const { events, oldestAt } = await countUntold(reader, MAX);
  const counted = await countByStatus(reader, idsFrom('deployment', now - RECENT_MS), MAX);
  return {
    due,
    late,
    events,
    lagSeconds: oldestAt === undefined ? 0 : Math.max(0, now - oldestAt) / 1_000,
    deployments: new Map(deploymentMachine.states.map((state) => [state, counted.get(state) ?? 0])),
  };
}

type State = Awaited<ReturnType<typeof readState>>;

/** Lists the gauges of `/metrics`. */
export function gaugesOf(deps: GaugeDeps): GaugeSource[] {
  const state = kept(() => readState(deps), deps.clock ?? Date.now);
  const fromState = (read: (found: State) => GaugeValues) => async () => {
    const found = await state();
    return found && read(found);
  };
  return [
    {
      name: 'hortus_daemons_connected',
      help: 'Daemons that are connected to this process.',
      read: deps.daemons,
    },
    {
      name: 'hortus_streams_open',
      help: 'Open event streams of clients of this process.',
      read: deps.streams,
    },
    {
      name: 'hortus_daemon_streams_open',
      help: 'Open streams between daemons and this process, such as logs and metrics that are watched.',
      read: deps.daemonStreams,
    },
    {
      name: 'hortus_jobs_queued',
      help: 'Jobs that are due and wait for a worker, by kind; at most 10,000 are counted.',
      label: 'kind',
      read: fromState(({ due }) => due),
    },
    {
      name: 'hortus_jobs_late',
      help: 'Jobs that have been due for more than a minute, by kind; at most 10,000 are counted.',
      label: 'kind',
      read: fromState(({ late }) => late),
    },
    {
      name: 'hortus_outbox_lag_events',
      help: 'Committed events that are not dispatched yet; at most 10,000 are counted.',
      read: fromState(({ events }) => events),
    },
    {
      name: 'hortus_outbox_lag_seconds',
      help: 'Age of the oldest event that is not dispatched yet; 0 if there is none.',
      read: fromState(({ lagSeconds }) => lagSeconds),
    },
    {
      name: 'hortus_deployments',
      help: 'Deployments by state: all pending and running ones, and finished ones ordered in the last hour.',
      label: 'state',
      read: fromState(({ deployments }) => deployments),
    },
  ];
}

/** Reads once for all callers and keeps the result for a while. Undefined if reading fails or takes too long. */
export function kept<T>(
  read: () => Promise<T>,
  clock: () => number,
  { keepMs = KEEP_MS, timeoutMs = TIMEOUT_MS } = {},
): () => Promise<T | undefined> {
  let reading: Promise<T | undefined> | undefined;
  let fresh: { readonly value: T | undefined; readonly until: number } | undefined;
  return async () => {
    if (fresh && clock() < fresh.until) return fresh.value;
    reading ??= read()
      .catch(() => undefined)
      .then((value) => {
        // A failure is kept as well: a database in trouble is not asked more often.
        fresh = { value, until: clock() + keepMs };
        reading = undefined;
        return value;
      });
    const waited = new AbortController();
    const late = sleep(timeoutMs, undefined, { signal: waited.signal }).catch(() => undefined);
    const found = await Promise.race([reading, late]);
    waited.abort();
    return found;
  };
}
