import { fileURLToPath } from 'node:url';
import { builtIn } from '@hortus/contract/actions/built-in-actions';
import { Actions } from '../actions/actions.ts';
import { Shims } from '../actions/shims.ts';
import type { Turns } from '../concurrency/turns.ts';
import { DeploymentRunner } from '../deployments/deployment-runner.ts';
import { Poller } from '../link/poller.ts';
import { Watch } from '../rollout/watch.ts';
import { FailedTasks } from '../swarm/failed-tasks.ts';
import { Scheduler } from '../template-jobs/scheduler.ts';
import type { Base } from './base.ts';
import { builtInHandlers } from './built-in-handlers.ts';
import type { Swarm } from './cluster.ts';
import type { DaemonOptions } from './daemon-options.ts';
import type { Data } from './data.ts';
import type { Engines } from './engine.ts';
import type { Leader } from './leader.ts';
import type { Link } from './link.ts';
import type { Reports } from './reports.ts';
import type { Routing } from './routing.ts';
import type { Upkeep } from './upkeep.ts';

type Needs = Base & Leader & Swarm & Engines & Routing & Link & Reports & Upkeep & Data & { turns: Turns };

/** Bytes kept of an action's output. */
const OUTPUT_LIMIT = 1024 * 1024;

export type Work = ReturnType<typeof wireWork>;

/** What the service orders, and what follows from it: actions, scheduled jobs, deployments and their watch periods. */
export function wireWork(parts: Needs, { shimCommand = ownShimCommand() }: DaemonOptions) {
  const { journal, engine, log, serverId, leads, inTenure, turns } = parts;
  const shims = new Shims({ command: shimCommand, socket: parts.config.dockerSocket });
  const actions = wireActions(parts, shims);
  const busy = (uid: string) => turns.busy(uid);
  const scheduler = new Scheduler({
    journal,
    engine,
    log,
    busy,
    leads,
    onDue: (request) => inTenure(() => actions.run(request)),
  });
  const deployments = wireDeployments(parts);
  const watch = new Watch({
    journal,
    engine,
    log,
    serverId,
    busy,
    leads,
    repaired: parts.cluster && new FailedTasks(parts.cluster),
    onSick: (watch, why) => inTenure(() => deployments.return(watch, why)),
  });
  const poller = wirePoller(parts, deployments);
  /** Continues what the journal has not finished; begins nothing twice. */
  const resume = () => {
    parts.backups.recover();
    actions.recover();
    deployments.recover();
  };
  return { shims, actions, scheduler, deployments, watch, poller, resume };
}

function wireActions(parts: Needs, shims: Shims): Actions {
  const { journal, engine, turns, log, ingress, transfers, tunnels, relayTo, viewOf, results } = parts;
  return new Actions({
    journal,
    engine,
    shims,
    turns,
    builtIns: builtInHandlers(parts),
    log,
    outputLimit: OUTPUT_LIMIT,
    abandon: (uid) => transfers.abandon(uid),
    unroute: (uid) => ingress.unroute(uid),
    ...(tunnels && { socketOn: (node: string) => tunnels.socketOf(node) }),
    ...(relayTo && { relayTo }),
    viewOf,
    onStarted: (request) => results.started(request),
    onFinished: (id) => {
      results.finished(id);
      if (journal.executions.find(id)?.request.action.slug === builtIn.release)
        tunnels?.closeIdle(0).catch((error: Error) => log.warn({ err: error }, 'tunnels could not be closed'));
    },
    onUnkept: (id, outcome) => results.finishedUnkept(id, outcome),
  });
}

function wireDeployments(parts: Needs): DeploymentRunner {
  const { journal, engine, ingress, service, turns, policy, log, serverId, publicKey, boundary } = parts;
  const { cluster, viewOf, mayAct, fingerprints, observer, drift, extraNetworks, follow } = parts;
  return new DeploymentRunner({
    cluster,
    viewOf,
    leads: mayAct,
    journal,
    engine,
    ingress,
    service,
    turns,
    policy,
    log,
    serverId,
    fingerprint: () => fingerprints.now(),
    publicKey,
    onChange: (uid) => {
      observer.changed(uid);
      drift.changed(uid);
      void extraNetworks.poll(uid);
      // An engine restart in the meantime may have changed the containers' addresses.
      follow(uid);
    },
    boundary,
  });
}

/** Fetches deployments and transfers. */
function wirePoller({ channel, leads, inTenure, transfers, log }: Needs, deployments: DeploymentRunner): Poller {
  const poll = async () => {
    if (channel.replaced || channel.forbidden || !leads()) return;
    await deployments.poll();
    // Older services have no transfers.
    if (channel.offers('transfer')) await transfers.poll();
  };
  return new Poller({
    poll: () => inTenure(poll),
    up: () => channel.up,
    onFailure: (error) => log.debug({ err: error }, 'the service could not be asked for deployments'),
  });
}

/** Command that starts this program from source as a shim, with the heap of the released binary. */
function ownShimCommand(): string[] {
  const flags = ['--max-semi-space-size=1', '--optimize-for-size'];
  return [process.execPath, ...flags, fileURLToPath(new URL('../main.ts', import.meta.url)), 'exec-shim'];
}
