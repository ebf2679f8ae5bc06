import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtIn } from '@hortus/contract/built-in-actions';
import { Actions } from './actions/actions.ts';
import { Shims } from './actions/shims.ts';
import { BackupActions } from './backup/backup-actions.ts';
import { FolderStore } from './backup/folder-store.ts';
import { S3Store } from './backup/s3/s3-store.ts';
import { builtInHandlers } from './built-in-handlers.ts';
import type { DaemonConfig } from './config.ts';
import { ContainerLogs } from './container-logs/container-logs.ts';
import { serveLogs } from './container-logs/serve-logs.ts';
import { settlingEngine } from './container-logs/settling-engine.ts';
import { Acceptance } from './deployments/acceptance.ts';
import { DeploymentRunner } from './deployments/deployment-runner.ts';
import { orderedManifest } from './deployments/ordered-manifest.ts';
import { DriftWatch } from './drift/drift-watch.ts';
import { openDockerCluster } from './engine/docker/docker-cluster.ts';
import { openDockerEngine } from './engine/docker/docker-engine.ts';
import type { Timeouts } from './engine/docker/timeouts.ts';
import type { Engine } from './engine/engine.ts';
import { Fingerprints } from './fingerprint/fingerprint.ts';
import { followContainers } from './ingress/follow-containers.ts';
import { Ingress, type IngressSettings } from './ingress/ingress.ts';
import { refreshRoutes } from './ingress/refresh-routes.ts';
import type { RelayTo } from './instances/ways.ts';
import { Scheduler } from './jobs/scheduler.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import { aboutDaemon } from './link/about.ts';
import { Channel } from './link/channel.ts';
import { Leadership } from './link/leadership.ts';
import { Observer } from './link/observer.ts';
import { Poller } from './link/poller.ts';
import { receive } from './link/receive.ts';
import { Results } from './link/results.ts';
import { currentKey } from './link/server-key.ts';
import { Service } from './link/service.ts';
import type { Log } from './log.ts';
import { CapacityMeter } from './metrics/capacity.ts';
import { HostTraffic } from './metrics/host-traffic.ts';
import { LiveMetrics } from './metrics/live-metrics.ts';
import { MetricsReporter } from './metrics/reporter.ts';
import { UsageMeter } from './metrics/usage-meter.ts';
import { ExtraNetworks } from './networks/extra-networks.ts';
import { NetworkPool } from './networks/network-pool.ts';
import { pooledEngine } from './networks/pooled-engine.ts';
import { guardedEngine } from './policy/guarded-engine.ts';
import { realPath } from './policy/host-paths.ts';
import { policyFileOf, readPolicy } from './policy/read-policy.ts';
import { Watch } from './rollout/watch.ts';
import { serveShell } from './shell/serve-shell.ts';
import { DialBack } from './streams/dial-back.ts';
import { substitutingEngine } from './substitutes/substituting-engine.ts';
import { readDeployedManifests } from './swarm/deployed-manifests.ts';
import { FailedTasks } from './swarm/failed-tasks.ts';
import { fencedCluster, fencedEngine } from './swarm/fence.ts';
import { instanceViews } from './swarm/instance-views.ts';
import { NodeReports } from './swarm/node-reports.ts';
import { swarmEngine } from './swarm/swarm-engine.ts';
import { SwarmIngress } from './swarm/swarm-ingress.ts';
import { Takeover } from './swarm/takeover.ts';
import { Tenure } from './swarm/tenure.ts';
import { Transfers } from './transfer/transfers.ts';
import { Identity } from './trust/identity.ts';
import { NodeTunnels } from './tunnel/node-tunnels.ts';
import { TaskRelays } from './tunnel/task-relays.ts';
import { Turns } from './turns.ts';
import { type UpdateHost, updaterOf } from './update/update-host.ts';

export interface DaemonOptions {
  config: DaemonConfig;
  /** With chosen ports. */
  ingress: IngressSettings;
  log: Log;
  /** Command that runs this program as `hortusd exec-shim`; set by the bundled program. */
  shimCommand?: readonly string[];
  /** Lets the daemon update itself; without it, updates are refused. */
  update?: UpdateHost;
  engineTimeouts?: Partial<Timeouts>;
  /** Called before and after every step of a rollout; tests end the process there. */
  boundary?: (moment: string) => void;
}

/** Bytes kept of an action's output. */
const OUTPUT_LIMIT = 1024 * 1024;

export type Parts = ReturnType<typeof wire>;

/** Creates the parts of the daemon and connects them. Nothing runs before the parts are started. */
export function wire(options: DaemonOptions) {
  const { config, log, shimCommand = ownShimCommand(), boundary, engineTimeouts } = options;
  const { stateDirectory, backupBucket } = config;
  const policy = readPolicy(policyFileOf(stateDirectory));
  const journal = openJournal(stateDirectory);
  const identity = identify(config, journal, log);
  const serverId = () => identity.serverId ?? '';
  const publicKey = () => identity.publicKey;
  rememberWritten(journal);
  const socket = { socketPath: config.dockerSocket, ...(engineTimeouts && { timeouts: engineTimeouts }) };
  const docker = openDockerEngine(socket);
  const tenure = new Tenure();
  /** Whether the calling work of a member may change something: it leads, and none other led since the work began. */
  const mayChange = () => takeover.leads() && tenure.holds();
  const swarm = openDockerCluster(socket);
  const cluster = config.cluster ? fencedCluster(swarm, mayChange) : undefined;
  /** Whether this daemon may act: that of a plain server always, a member of a cluster while it leads. */
  const leads = () => cluster === undefined || takeover.leads();
  /** The same for the calling work: none other may have led since it began. */
  const mayAct = () => cluster === undefined || mayChange();
  /** Runs work as part of the current leadership, so that it ends with it. */
  const inTenure = <Result>(work: () => Result): Result => (cluster === undefined ? work() : tenure.run(work));
  const check = (one: Engine) =>
    guardedEngine(config.substitutes ? substitutingEngine(one, config.substitutes) : one, {
      policy,
      engineSocket: config.dockerSocket,
      written: journal.writtenPaths,
    });
  const checked = check(docker);
  const relaying = {
    // A new leader closes the tunnels of the last one before it is ready to act.
    cluster: fencedCluster(swarm, () => leadership.leads() && tenure.holds()),
    engine: checked,
    image: config.tunnelImage,
    serverId,
    log,
  };
  const tunnels =
    cluster &&
    new NodeTunnels({
      ...relaying,
      folder: join(stateDirectory, 'nodes'),
      // Checked in the views of instances, which alone create containers there.
      open: (socketPath) => openDockerEngine({ socketPath }),
      leads: () => leadership.leads(),
      busy: () => journal.executions.unfinished().length > 0,
    });
  const relays = cluster && new TaskRelays({ ...relaying, folder: join(stateDirectory, 'relays') });
  const relayTo: RelayTo | undefined = relays && ((to, signal) => relays.open(to, signal));
  const guarded = cluster ? swarmEngine(fencedEngine(checked, mayChange), cluster, tunnels) : checked;
  const reclaim = () => extraNetworks.sweep();
  const networkPool = new NetworkPool({ engine: guarded, pool: config.networkPool, reclaim, log });
  const containerLogs: ContainerLogs = new ContainerLogs({
    engine: guarded,
    folder: join(stateDirectory, 'logs'),
    limits: config.logs,
    manifests: (uid, deploymentId) => {
      const running = deploymentId === undefined ? undefined : journal.deployments.find(deploymentId)?.manifest;
      return [journal.manifests.of(uid), running].filter((manifest) => manifest !== undefined);
    },
    serverId,
    collects: leads,
    log,
  });
  const engine = settlingEngine(pooledEngine(guarded, networkPool), containerLogs);
  const viewOf = instanceViews({
    engine,
    cluster,
    others: tunnels,
    wrap: (one) => fencedEngine(check(one), mayChange),
  });
  const ingress = new Ingress({
    ...options.ingress,
    directory: join(stateDirectory, 'ingress'),
    routes: journal.routes,
    cluster:
      cluster &&
      new SwarmIngress({
        ...options.ingress,
        cluster,
        engine,
        image: config.ingressImage,
        serverId,
        leads,
        log,
      }),
    log,
  });
  const turns = new Turns();
  const busy = (uid: string) => turns.busy(uid);
  const fingerprints = new Fingerprints({ engine, ingress });
  const follow = (uid: string | undefined) => followContainers({ engine, ingress, journal, turns, log }, uid);

  const leadership: Leadership = new Leadership({
    isMember: cluster !== undefined,
    send: (message) => channel.send(message),
    onLead: (term) => takeover.begin(term),
    onLost: () => {
      takeover.lost();
      deployments.suspend();
      actions.suspend();
      transfers.suspend();
      dialBack.end(['logs', 'metrics']);
    },
    log,
  });
  const takeover: Takeover = new Takeover({
    journal,
    leads: () => leadership.leads(),
    mayLead: () => leadership.mayLead(),
    tenure,
    catchUp: async () => {
      await tunnels?.closeAll();
      if (cluster) await readDeployedManifests({ cluster, service, acceptance, journal, serverId, log });
    },
    onReady: () => {
      void relays?.sweep();
      resume();
      settle();
      containerLogs.changed(undefined);
      void nodeReports.report();
    },
    log,
  });
  /** Continues what the journal has not finished; begins nothing twice. */
  const resume = () => {
    backups.recover();
    actions.recover();
    deployments.recover();
  };
  const whenLeading = (work: () => void): boolean => {
    if (cluster) return takeover.when(work);
    work();
    return true;
  };
  /** Exchanges with the service what one of them may have missed. */
  const settle = () => {
    results.settle();
    deployments.settle();
    poller.wake();
    observer.all();
    drift.all();
  };
  const service = new Service(config.url, currentKey(stateDirectory, config.key), () => leadership.epoch);
  const channel: Channel = new Channel({
    baseUrl: config.url,
    key: () => service.key,
    capabilities: cluster ? ['cluster'] : [],
    isUrgent: cluster !== undefined,
    onDeposed: () => leadership.deposed(),
    about: () => aboutDaemon({ engine, ingress, journal }),
    onMessage: (message) =>
      receive(message, {
        config,
        log,
        identity,
        journal,
        service,
        channel,
        leadership,
        whenLeading,
        actions,
        results,
        poller,
        dialBack,
        updater,
      }),
    onUp: () => {
      takeover.reconnected();
      if (leads()) settle();
      updater.connected();
    },
    log,
  });
  const meters = () => ({
    capacity: new CapacityMeter(stateDirectory),
    usage: new UsageMeter({ engine, serverId, log }),
  });
  const liveMetrics = new LiveMetrics({ meters: () => ({ ...meters(), traffic: new HostTraffic() }), log });
  const dialBack = new DialBack({
    service,
    kinds: {
      logs: serveLogs(containerLogs.store, log),
      metrics: liveMetrics.serve,
      shell: serveShell({ engine, policy, log }),
    },
    log,
  });
  const updater = updaterOf({ host: options.update, stateDirectory, service, channel, journal, log, boundary });
  const results = new Results({ journal, service, channel, log });

  const store = backupBucket ? new S3Store(backupBucket) : new FolderStore(config.backupDirectory);
  const acceptance = new Acceptance({ journal, policy, serverId, publicKey });
  const backups = new BackupActions({
    engine,
    cluster,
    viewOf,
    relayTo,
    ingress,
    journal,
    log,
    store,
    serverId,
    manifestOf: (deployment, signal) =>
      orderedManifest({ service, acceptance, sealingKey: journal.keyPair.publicKey }, deployment, signal),
    boundary,
  });
  const transfers = new Transfers({
    engine,
    service,
    stateDirectory,
    serverId,
    publicKey,
    privateKey: journal.keyPair.privateKey,
    backups: store,
    leads: mayAct,
    log,
    boundary,
  });
  const shims = new Shims({ command: shimCommand, socket: config.dockerSocket });
  const actions = new Actions({
    journal,
    engine,
    shims,
    turns,
    builtIns: builtInHandlers({ engine, cluster, viewOf, relayTo, journal, turns, serverId, backups }),
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
        tunnels?.closeIdle(0).catch((error: Error) => log.warn('tunnels could not be closed', { error }));
    },
    onUnkept: (id, outcome) => results.finishedUnkept(id, outcome),
  });
  const scheduler = new Scheduler({
    journal,
    engine,
    log,
    busy,
    leads,
    onDue: (request) => inTenure(() => actions.run(request)),
  });

  const drift = new DriftWatch({
    cluster,
    journal,
    engine,
    ingress,
    service,
    turns,
    log,
    everyMs: config.driftEveryMs,
    refresh: (uid) => refreshRoutes(engine, ingress, uid, false),
  });
  const onEvent = (uid: string | undefined) => {
    follow(uid);
    drift.changed(uid);
    containerLogs.changed(uid);
  };
  const observer = new Observer({ engine, service, journal, log, serverId, busy, leads, onEvent });
  const deployments = new DeploymentRunner({
    cluster,
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
      void extraNetworks.look(uid);
      // An engine restart in the meantime may have changed the containers' addresses.
      follow(uid);
    },
    boundary,
  });
  const extraNetworks: ExtraNetworks = new ExtraNetworks({ engine, turns, serverId, log });
  const watch = new Watch({
    journal,
    engine,
    log,
    serverId,
    busy,
    leads,
    repaired: cluster && new FailedTasks(cluster),
    onSick: (watch, why) => inTenure(() => deployments.return(watch, why)),
  });
  const look = async () => {
    if (channel.replaced || channel.forbidden || !leads()) return;
    await deployments.look();
    // Older services have no transfers.
    if (channel.offers('transfer')) await transfers.look();
  };
  const poller = new Poller({
    look: () => inTenure(look),
    up: () => channel.up,
    onFailure: (error) => log.debug('the service could not be asked for deployments', { error }),
  });
  const nodeReports = new NodeReports({
    cluster,
    service,
    serverId: () => identity.serverId,
    leads: () => leadership.leads(),
    log,
  });
  const metrics = new MetricsReporter({
    service,
    log,
    ...meters(),
    fingerprint: () => fingerprints.recent(),
    networks: () => networkPool.usage(),
    serverId: () => identity.serverId,
    leads,
  });

  return {
    actions,
    backups,
    channel,
    cluster,
    containerLogs,
    deployments,
    dialBack,
    drift,
    engine,
    extraNetworks,
    follow,
    identity,
    ingress,
    journal,
    leadership,
    leads,
    metrics,
    nodeReports,
    observer,
    poller,
    relays,
    results,
    resume,
    scheduler,
    service,
    shims,
    transfers,
    tunnels,
    updater,
    watch,
  };
}

/** Records the writable host paths of manifests that an older daemon stored without such a list. */
function rememberWritten({ manifests, writtenPaths }: Journal): void {
  const known = new Set(writtenPaths.all());
  for (const { host_path, read_only } of manifests
    .all()
    .flatMap(({ components }) => components.flatMap((one) => one.storage))) {
    if (host_path === undefined || read_only || known.has(realPath(host_path))) continue;
    writtenPaths.add(realPath(host_path));
  }
}

/** Closes the journal if the state directory belongs to another server. */
function identify(config: DaemonConfig, journal: Journal, log: Log): Identity {
  try {
    return new Identity({ config, pins: journal.pins, log });
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Command that starts this program from source as a shim, with the heap of the released binary. */
function ownShimCommand(): string[] {
  const flags = ['--max-semi-space-size=1', '--optimize-for-size'];
  return [process.execPath, ...flags, fileURLToPath(new URL('./main.ts', import.meta.url)), 'exec-shim'];
}
