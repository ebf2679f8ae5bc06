import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '@hortus/contract/releases/version';
import type { Journal } from '../journal/journal.ts';
import type { Channel } from '../link/channel.ts';
import type { Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import type { HandOver } from './supervisor.ts';
import { UpdateStore } from './update-record.ts';
import { Updater } from './updater.ts';

/** The process around the daemon, as far as updates need it. */
export interface UpdateHost {
  readonly store: UpdateStore;
  /** Path of the running binary; undefined if the daemon runs from source. */
  readonly binary: string | undefined;
  readonly keys: readonly KeyObject[];
  readonly handOver: HandOver;
}

interface UpdaterParts {
  readonly host: UpdateHost | undefined;
  readonly stateDirectory: string;
  /** Oldest version that the policy of this server allows. */
  readonly minimum: string | undefined;
  readonly service: Service;
  readonly channel: Channel;
  readonly journal: Journal;
  readonly log: Log;
  readonly boundary: ((moment: string) => void) | undefined;
}

/** Creates the updater of a daemon; one without a host refuses orders, because it runs from source. */
export const updaterOf = ({
  host,
  stateDirectory,
  minimum,
  service,
  channel,
  journal,
  log,
  boundary,
}: UpdaterParts): Updater =>
  new Updater({
    minimum,
    store: host?.store ?? new UpdateStore(stateDirectory),
    version: VERSION,
    binary: host?.binary,
    keys: host?.keys ?? [],
    service,
    channel,
    quiet: (signal) => callsEnded(journal, signal),
    handOver: host?.handOver ?? (() => undefined),
    log,
    boundary,
  });

/** Calls of components end within their timeout; a longer wait would let a busy server never update. */
const MAX_WAIT_MS = 10 * 60_000;

/** Waits for actions that the daemon itself runs and cannot resume; others survive its restart. */
async function callsEnded({ executions }: Journal, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  const busy = () =>
    executions.unfinished().some(({ phase, runner }) => phase === 'started' && runner?.kind === 'once');
  while (busy() && performance.now() < deadline) await sleep(200, undefined, { signal });
}
