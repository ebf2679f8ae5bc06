import type { RegistryLogin } from '@hortus/contract/resources/manifest';
import { registryOf } from '@hortus/template/notation/image-reference';
import type { Cluster, MountedSecret, NodeFacts, RegistryAuth, ServiceSpec } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import type { ClusterRoutes } from '../ingress/cluster-routes.ts';
import type { Desired } from '../plan/desired.ts';
import { ownerLabels } from '../plan/labels.ts';
import { fetchImage } from '../pull/fetch-image.ts';
import { converge, jobEnded } from './convergence.ts';
import type { DesiredService } from './desired-services.ts';
import { pinnedImage } from './pinned-image.ts';
import { storeFiles } from './swarm-files.ts';
import type { ServiceDecision, SwarmStep } from './swarm-plan.ts';

export interface SwarmStepDeps {
  cluster: Cluster;
  engine: Engine;
  /** The engine of the node that the volumes are on. */
  engineOfVolumes(): Promise<Engine>;
  desired: Desired;
  /** Labels of everything that belongs to the instance. */
  own: Record<string, string>;
  nodes: readonly NodeFacts[];
  /** Undefined for an instance that gets no routes, such as a trial. */
  ingress: ClusterRoutes | undefined;
  logins: readonly RegistryLogin[];
  /** Whether the previous version may run again if this one fails. */
  mayReturn(): Promise<boolean>;
  say(level: 'info' | 'warn', message: string, step: SwarmStep['step']): void;
  pulled(image: string): void;
}

/** Runs single steps of a rollout in a Swarm, and keeps their results for later steps. */
export class SwarmSteps {
  readonly #deps: SwarmStepDeps;
  readonly #files = new Map<string, MountedSecret[]>();
  /** Ids of services that were created or changed, by component. */
  readonly #services = new Map<string, string>();
  /** Longest downtime of a replaced service; undefined if none was replaced. */
  gapMs: number | undefined;

  constructor(deps: SwarmStepDeps) {
    this.#deps = deps;
  }

  /** Runs a step and returns a log line. */
  async run(step: SwarmStep, signal: AbortSignal, progress: () => void): Promise<string> {
    const { cluster, engine, engineOfVolumes, desired, own, ingress, logins, say, pulled } = this.#deps;
    switch (step.step) {
      case 'pull':
        return await fetchImage(step.image, {
          engine,
          logins,
          renew: true,
          signal,
          progress,
          pulled,
          say: (level, message) => say(level, message, 'pull'),
        });
      case 'network':
        if (step.isRouted) await ingress?.ensureNetwork();
        if (desired.network === undefined) return 'All components use the network of their node';
        await cluster.ensureNetwork(desired.network);
        return `The overlay network ${desired.network.name} exists`;
      case 'volumes':
        await (await engineOfVolumes()).ensureVolume({ name: step.name, labels: own, owner: ownerLabels });
        return `Created volume ${step.name}`;
      case 'files': {
        const { unit } = step.wanted;
        this.#files.set(unit.key, await storeFiles(cluster, own, unit.files));
        return `Stored ${unit.files.length} files of ${unit.component} in the Swarm`;
      }
      case 'start':
        return await this.#start(step.decision);
      case 'wait_healthy':
        return await this.#waitHealthy(step.decision, signal, progress);
      case 'before_start_job':
      case 'after_start_job':
        return await this.#job(step.decision, step.step, signal, progress);
      case 'route': {
        const warn = (level: 'info' | 'warn', message: string) => say(level, message, 'route');
        await ingress?.lead(desired.instanceUid, desired.routes, { own, say: warn, progress, signal });
        const list = desired.routes.map(
          ({ host, path, component }) => `${host}${path === '/' ? '' : path} to ${component}`,
        );
        return list.length === 0 ? 'Removed all routes' : `Routed ${list.join(', ')}`;
      }
      case 'remove_old':
        await cluster.removeService(step.service.id);
        return `Removed the service ${step.service.name}`;
    }
  }

  async #start(decision: ServiceDecision): Promise<string> {
    const { cluster } = this.#deps;
    const { wanted } = decision;
    const { component } = wanted.unit;
    if (decision.decision === 'scale') {
      await cluster.scaleService(decision.service.id, wanted.replicas);
      this.#services.set(component, decision.service.id);
      return `${component} gets ${wanted.replicas} tasks instead of ${decision.service.replicas}`;
    }
    const [spec, auth] = [await this.#specOf(wanted), this.#authFor(wanted)];
    if (decision.decision === 'update' && decision.service.kind === 'replicated') {
      const isReturning = await this.#deps.mayReturn();
      const update = spec.update && ({ ...spec.update, onFailure: isReturning ? 'rollback' : 'pause' } as const);
      await cluster.updateService(decision.service.id, { ...spec, ...(update && { update }) }, auth);
      this.#services.set(component, decision.service.id);
      const order = spec.update?.order === 'start-first' ? 'new before old' : 'old before new';
      return `Updating ${component}, one task at a time, ${order}${pinnedTo(wanted, this.#nodeName)}`;
    }
    await this.#create(decision, spec, auth);
    return `Created service ${spec.container.name}${pinnedTo(wanted, this.#nodeName)}`;
  }

  /** A service of another mode cannot be updated, and a job runs once; both are replaced. */
  async #create(decision: ServiceDecision, spec: ServiceSpec, auth: RegistryAuth | undefined): Promise<void> {
    const { cluster } = this.#deps;
    if (decision.decision !== 'create') await cluster.removeService(decision.service.id);
    this.#services.set(decision.wanted.unit.component, await cluster.createService(spec, auth));
  }

  async #waitHealthy(decision: ServiceDecision, signal: AbortSignal, progress: () => void): Promise<string> {
    const { wanted } = decision;
    // The Swarm rolls an update back only if it replaces tasks. After a restart of the daemon, a service without a former
    // specification was created by this deployment.
    const isUpdate =
      (decision.decision === 'update' && decision.service.kind === 'replicated' && decision.service.replicas > 0) ||
      (decision.decision === 'await' && (decision.service.formerReplicas ?? 0) > 0);
    const { tasks, gapMs } = await converge({
      ...this.#watched(decision, 'wait_healthy', signal, progress),
      replicas: wanted.replicas,
      isUpdate,
      hasHistory: decision.decision !== 'create',
      hasCheck: wanted.unit.check !== undefined,
    });
    if (isUpdate) this.gapMs = Math.max(this.gapMs ?? 0, gapMs);
    const places = [...new Set(tasks.map(({ node }) => this.#nodeName(node)))].sort().join(', ');
    const health = wanted.unit.check ? 'is healthy' : 'runs';
    return `${wanted.unit.component} ${health} on ${places}${gapMs > 0 ? `, downtime ${gapMs} ms` : ''}`;
  }

  async #job(
    decision: ServiceDecision,
    step: SwarmStep['step'],
    signal: AbortSignal,
    progress: () => void,
  ): Promise<string> {
    const { wanted } = decision;
    if (decision.decision !== 'await') await this.#create(decision, await this.#specOf(wanted), this.#authFor(wanted));
    const task = await jobEnded(this.#watched(decision, step, signal, progress));
    return `${wanted.unit.component} completed on ${this.#nodeName(task.node)}`;
  }

  #watched(decision: ServiceDecision, step: SwarmStep['step'], signal: AbortSignal, progress: () => void) {
    const { cluster, say } = this.#deps;
    const { component } = decision.wanted.unit;
    return {
      cluster,
      service: this.#services.get(component) ?? (decision.decision === 'create' ? '' : decision.service.id),
      component,
      config: decision.wanted.config,
      nodeName: this.#nodeName,
      say: (level: 'info' | 'warn', message: string) => say(level, message, step),
      progress,
      signal,
    };
  }

  async #specOf({ spec, unit }: DesiredService): Promise<ServiceSpec> {
    const image = await pinnedImage(this.#deps.engine, spec.container.image);
    return { ...spec, container: { ...spec.container, image }, files: this.#files.get(unit.key) ?? [] };
  }

  #authFor({ spec }: DesiredService): RegistryAuth | undefined {
    const host = registryOf(spec.container.image);
    const login = this.#deps.logins.find((login) => login.host === host);
    return login && { username: login.username, password: login.password, serveraddress: host };
  }

  readonly #nodeName = (id: string): string => this.#deps.nodes.find((node) => node.id === id)?.name ?? id;
}

const pinnedTo = ({ node }: DesiredService, nameOf: (id: string) => string): string =>
  node === undefined ? '' : `; its volumes bind it to node ${nameOf(node)}`;
