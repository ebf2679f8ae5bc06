import { type KeyObject, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Actions } from './actions/actions.ts';
import { Shims } from './actions/shims.ts';
import { Turns } from './actions/turns.ts';
import { BackupActions } from './backup/backup-actions.ts';
import { FolderStore } from './backup/folder-store.ts';
import { ConfigError, type DaemonConfig } from './config.ts';
import { DriftWatch } from './drift/drift-watch.ts';
import { openDockerEngine } from './engine/docker/docker-engine.ts';
import type { Timeouts } from './engine/docker/timeouts.ts';
import type { Engine } from './engine/engine.ts';
import { Fingerprints } from './fingerprint/fingerprint.ts';
import { Ingress } from './ingress/ingress.ts';
import { refreshRoutes } from './ingress/refresh-routes.ts';
import { Scheduler } from './jobs/scheduler.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import { Acceptance } from './link/acceptance.ts';
import { Channel, type ChannelTimes } from './link/channel.ts';
import { DeploymentRunner } from './link/deployments.ts';
import type { FromService } from './link/messages.ts';
import { Observer } from './link/observer.ts';
import { orderedManifest } from './link/ordered-manifest.ts';
import { Poller } from './link/poller.ts';
import { Results } from './link/results.ts';
import { currentKey, keepRotatedKey } from './link/server-key.ts';
import { Service } from './link/service.ts';
import type { Log } from './log.ts';
import { CapacityMeter } from './metrics/capacity.ts';
import { MetricsReporter } from './metrics/reporter.ts';
import { UsageMeter } from './metrics/usage-meter.ts';
import { policyFileOf, readPolicy } from './policy/read-policy.ts';
import { Watch } from './rollout/watch.ts';
import { Transfers } from './transfer/transfers.ts';
import { readPublicKey } from './trust/manifest-signature.ts';
import { VERSION } from './version.ts';
import { closeLeftWindows } from './volumes/window.ts';

export interface DaemonOptions {
  config: DaemonConfig;
  log: Log;
  /** This program as `hortusd exec-shim`; said by whoever bundles it. */
  shimCommand?: readonly string[];
  times?: Partial<ChannelTimes & { pollUpMs: number; pollDownMs: number; reportMs: number; stopGraceMs: number }>;
  engineTimeouts?: Partial<Timeouts>;
  /** Told before and after every step of a rollout, for tests that end the process there. */
  boundary?: (moment: string) => void;
}

/** Bytes of an action's output that are kept. */
const OUTPUT_LIMIT = 1024 * 1024;
const HOUR = 3_600_000;

/** The daemon: everything it is made of, and who tells whom. */
export class Daemon {
  readonly #config: DaemonConfig;
  readonly #log: Log;
  readonly #times: NonNullable<DaemonOptions['times']>;
  readonly #journal: Journal;
  readonly #engine: Engine;
  readonly #ingress: Ingress;
  readonly #service: Service;
  readonly #channel: Channel;
  readonly #actions: Actions;
  readonly #backups: BackupActions;
  readonly #shims: Shims;
  readonly #results: Results;
  readonly #deployments: DeploymentRunner;
  readonly #observer: Observer;
  readonly #scheduler: Scheduler;
  readonly #watch: Watch;
  readonly #drift: DriftWatch;
  readonly #turns: Turns;
  readonly #poller: Poller;
  readonly #transfers: Transfers;
  readonly #metrics: MetricsReporter;
  #publicKey: KeyObject | undefined;
  #regular: NodeJS.Timeout[] = [];

  /** Opens the state directory; throws when another daemon has it, or when the policy file has a mistake in it. */
  constructor({ config, log, shimCommand = ownShimCommand(), times = {}, boundary, engineTimeouts }: DaemonOptions) {
    const { stateDirectory } = config;
    const policy = readPolicy(policyFileOf(stateDirectory));
    this.#config = config;
    this.#log = log;
    this.#times = times;
    const journal = openJournal(stateDirectory);
    this.#journal = journal;
    try {
      this.#publicKey = this.#pinnedKey();
      this.#pinnedServer();
    } catch (error) {
      journal.close();
      throw error;
    }
    const engine = openDockerEngine({ socketPath: config.dockerSocket, ...optional('timeouts', engineTimeouts) });
    const ingress = new Ingress({
      ...config.ingress,
      directory: join(stateDirectory, 'ingress'),
      routes: journal.routes,
      log,
    });
    this.#ingress = ingress;
    const service = new Service(config.url, currentKey(stateDirectory, config.key));
    const turns = new Turns();
    this.#turns = turns;
    this.#engine = engine;
    this.#service = service;
    this.#channel = new Channel({
      baseUrl: config.url,
      key: () => service.key,
      about: () => this.#about(),
      onMessage: (message) => this.#received(message),
      onUp: () => this.#connected(),
      log,
      times,
    });
    this.#results = new Results({ journal, service, channel: this.#channel, log });
    this.#shims = new Shims({ command: shimCommand, socket: config.dockerSocket });
    const serverId = () => journal.pins.find('server_id') ?? '';
    const acceptance = new Acceptance({ journal, policy, serverId, publicKey: () => this.#publicKey });
    this.#backups = new BackupActions({
      engine,
      ingress,
      journal,
      log,
      store: new FolderStore(config.backupDirectory),
      serverId,
      manifestOf: (deployment, signal) => orderedManifest({ service, acceptance }, deployment, signal),
      boundary,
    });
    this.#actions = new Actions({
      journal,
      engine,
      shims: this.#shims,
      turns,
      backups: this.#backups,
      serverId,
      log,
      outputLimit: OUTPUT_LIMIT,
      abandon: (uid) => this.#transfers.abandon(uid),
      onStarted: (id) => this.#results.started(id),
      onFinished: (id) => this.#results.finished(id),
      onUnkept: (id, outcome) => this.#results.finishedUnkept(id, outcome),
    });
    const fingerprints = new Fingerprints({ engine, ingress });
    const busy = (uid: string) => turns.busy(uid);
    const everyMs = optional('everyMs', times.reportMs);
    const onEvent = (uid: string | undefined) => {
      this.#followContainers(uid);
      this.#drift.changed(uid);
    };
    this.#observer = new Observer({ engine, service, journal, log, serverId, busy, onEvent, ...everyMs });
    this.#deployments = new DeploymentRunner({
      journal,
      engine,
      ingress,
      service,
      turns,
      policy,
      log,
      serverId,
      fingerprint: () => fingerprints.now(),
      publicKey: () => this.#publicKey,
      onChange: (uid) => {
        this.#observer.changed(uid);
        this.#drift.changed(uid);
        // An engine that was started again meanwhile may have given its containers other addresses.
        this.#followContainers(uid);
      },
      boundary,
    });
    this.#scheduler = new Scheduler({ journal, engine, log, busy, onDue: (request) => this.#actions.run(request) });
    this.#watch = new Watch({
      journal,
      engine,
      log,
      serverId,
      busy,
      onSick: (watch, why) => this.#deployments.return(watch, why),
    });
    this.#drift = new DriftWatch({
      journal,
      engine,
      ingress,
      service,
      turns,
      log,
      everyMs: config.driftEveryMs,
      refresh: (uid) => refreshRoutes(engine, ingress, uid, false),
    });
    this.#poller = new Poller({
      // Whoever took over takes the deployments too.
      look: async () => {
        if (this.#channel.replaced) return;
        await this.#deployments.look();
        // A service that is older knows of none.
        if (this.#channel.offers('transfer')) await this.#transfers.look();
      },
      up: () => this.#channel.up,
      onFailure: (error) => log.debug('the service could not be asked for deployments', { error }),
      ...optional('upEveryMs', times.pollUpMs),
      ...optional('downEveryMs', times.pollDownMs),
    });
    this.#transfers = new Transfers({
      engine,
      service,
      stateDirectory,
      serverId,
      publicKey: () => this.#publicKey,
      log,
      boundary,
    });
    this.#metrics = new MetricsReporter({
      service,
      log,
      capacity: new CapacityMeter(stateDirectory),
      usage: new UsageMeter({ engine, serverId, log }),
      fingerprint: () => fingerprints.recent(),
      serverId: () => journal.pins.find('server_id'),
      ...everyMs,
    });
  }

  /** Goes on with what was under way, and connects. Returns at once; a service or an engine that is away is waited for. */
  start(): void {
    this.#tidy();
    this.#ingress.start();
    this.#closeLeftWindows();
    this.#backups.recover();
    this.#actions.recover();
    this.#deployments.recover();
    this.#shims.warm();
    this.#channel.start();
    this.#observer.start();
    this.#scheduler.start();
    this.#watch.start();
    this.#drift.start();
    this.#followContainers(undefined);
    this.#poller.wake();
    this.#results.settle();
    this.#deployments.settle();
    this.#metrics.start();
    this.#regular = [setInterval(() => this.#tidy(), HOUR)];
  }

  /** Ends in order. Actions that run go on by themselves, and the next start takes up the rest. */
  async stop(): Promise<void> {
    for (const timer of this.#regular) clearInterval(timer);
    this.#metrics.stop();
    this.#poller.stop();
    this.#observer.stop();
    await this.#scheduler.stop();
    await this.#watch.stop();
    await this.#transfers.stop();
    await this.#drift.stop();
    await Promise.all([this.#deployments.stop(this.#times.stopGraceMs ?? 5_000), this.#actions.stop()]);
    this.#channel.stop();
    this.#results.stop();
    await this.#ingress.stop();
    this.#engine.close();
    this.#journal.close();
  }

  /** True while the service has us on the line. */
  get connected(): boolean {
    return this.#channel.up;
  }

  #connected(): void {
    this.#results.settle();
    this.#deployments.settle();
    this.#poller.wake();
    this.#observer.all();
    this.#drift.all();
  }

  #tidy(): void {
    try {
      this.#journal.tidy(Date.now());
    } catch (error) {
      this.#log.warn('the journal could not be tidied', { error });
    }
  }

  /** Routes go where the containers are. While something else is done to an instance, that sees to its routes. */
  #followContainers(only: string | undefined): void {
    const { manifests, routes } = this.#journal;
    const routed = new Set(routes.all().map(({ instanceUid }) => instanceUid));
    for (const uid of routed) {
      if ((only !== undefined && only !== uid) || this.#turns.busy(uid)) continue;
      const refresh = () => refreshRoutes(this.#engine, this.#ingress, uid, manifests.of(uid) === undefined);
      this.#turns
        .take(uid, refresh)
        .catch((error: Error) => this.#log.debug('routes could not be brought up to date', { instance: uid, error }));
    }
  }

  /** An engine that is away has nothing of ours to close; what it has then is closed at the next start. */
  #closeLeftWindows(): void {
    const serverId = this.#journal.pins.find('server_id');
    if (serverId === undefined) return;
    closeLeftWindows(this.#engine, serverId).catch((error: Error) =>
      this.#log.warn('windows into volumes that were left open could not be closed', { error }),
    );
  }

  #received(message: FromService): void {
    switch (message.type) {
      case 'action_request': {
        const { type: _, ...request } = message;
        this.#actions.handle(request);
        break;
      }
      case 'action_cancel':
        this.#actions.cancel(message.execution_id);
        break;
      case 'deployment_available':
      case 'transfer_available':
        this.#poller.wake();
        break;
      case 'result_recorded':
        this.#results.recorded(message.execution_id);
        break;
      case 'rotate_key':
        this.#rotate(message);
        break;
      case 'authenticated':
        this.#introduced(message);
        break;
    }
  }

  /** Acknowledged before it is used: the old key, which this connection hangs on, dies with the first use of the new one. */
  #rotate({ api_key: key, rotation }: { api_key: string; rotation?: string }): void {
    keepRotatedKey(this.#config.stateDirectory, this.#config.key, key);
    this.#channel.send({ type: 'key_rotated', rotation });
    this.#service.useKey(key);
    this.#log.info('the key of this server was rotated');
  }

  /** Believed only where nothing was said at registration, and only the first time. */
  #introduced({ server_id, manifest_public_key }: { server_id?: string; manifest_public_key?: string }): void {
    const { pins } = this.#journal;
    if (server_id !== undefined && pins.pin('server_id', server_id) !== server_id) {
      this.#log.error('the service takes this server for another one; its deployments are refused', { server_id });
    }
    if (this.#publicKey || manifest_public_key === undefined) return;
    this.#publicKey = readPublicKey(pins.pin('manifest_public_key', manifest_public_key));
    this.#log.warn('the key of the service for manifests was taken from its first answer and is pinned now');
  }

  #pinnedKey(): KeyObject | undefined {
    const { manifestPublicKey: given, stateDirectory } = this.#config;
    const { pins } = this.#journal;
    const pinned = given === undefined ? pins.find('manifest_public_key') : pins.pin('manifest_public_key', given);
    if (given !== undefined && pinned !== given) {
      throw new ConfigError(
        `${stateDirectory} belongs to a service with another key. Use another --state-dir for this one.`,
      );
    }
    return pinned === undefined ? undefined : readPublicKey(pinned);
  }

  #pinnedServer(): void {
    const { serverId, stateDirectory } = this.#config;
    if (serverId === undefined || this.#journal.pins.pin('server_id', serverId) === serverId) return;
    throw new ConfigError(`${stateDirectory} belongs to another server. Use another --state-dir for ${serverId}.`);
  }

  async #about(): Promise<Record<string, unknown>> {
    const engine = await this.#engine.info().catch(() => undefined);
    const about = engine && `${engine.name} ${engine.version}`;
    const journal = this.#journal.pins.pin('journal', randomUUID());
    const ingress = await this.#ingress.about();
    return {
      ingress,
      journal,
      version: VERSION,
      os: process.platform,
      arch: process.arch,
      ...optional('engine', about),
    };
  }
}

/** How this very program is started as a shim, run from its source. */
function ownShimCommand(): string[] {
  return [process.execPath, fileURLToPath(new URL('./main.ts', import.meta.url)), 'exec-shim'];
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value };
}
