import type { RegistryLogin } from '@hortus/contract/resources/manifest';
import type { ManifestHealthcheck } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine, LinkSpec, NetworkSpec } from '../engine/engine.ts';
import { stuckNetwork } from '../engine/stuck-network.ts';
import type { Ingress } from '../ingress/ingress.ts';
import { connectionsClosed } from '../ingress/open-connections.ts';
import { addressesOf, addressOf } from '../instances/address.ts';
import type { ServedRoute } from '../journal/served-route.ts';
import { connectProvider, connectUsers } from '../networks/links.ts';
import { type ActualContainer, replacesLabels } from '../plan/actual.ts';
import type { Unit } from '../plan/desired.ts';
import { label } from '../plan/labels.ts';
import { nextName } from '../plan/names.ts';
import type { PlanStep, Target, Way } from '../plan/plan-step.ts';
import { fetchImage } from '../pull/fetch-image.ts';
import { requireFree } from './failure.ts';
import type { Gap } from './gap.ts';
import { lastLines, NotReady, waitReady } from './readiness.ts';

export interface StepRunnerDeps {
  engine: Engine;
  ingress: Pick<Ingress, 'lead' | 'taken' | 'trouble'>;
  instanceUid: string;
  gap: Gap;
  /** Whether instances that use this one stay disconnected. */
  apart: boolean;
  /** Registry credentials for the images. */
  logins: readonly RegistryLogin[];
  /** Logs a line in the deployment's log, under the pull step. */
  say(level: 'info' | 'warn', message: string): void;
  /** Called for an image that was not on the server before. */
  pulled(image: string): void;
  /** Logs a problem that does not fail the deployment. */
  warn(message: string): void;
}

type Doing<Step extends PlanStep['step']> = Extract<PlanStep, { step: Step }>;

/** Runs single steps and keeps their results for later steps. */
export class StepRunner {
  readonly #deps: StepRunnerDeps;
  readonly #engine: Engine;
  /** Ids of created containers, by unit. */
  readonly #created = new Map<string, string>();
  /** Containers that became ready, by unit. */
  readonly ready = new Map<string, ContainerFacts>();

  constructor(deps: StepRunnerDeps) {
    this.#deps = deps;
    this.#engine = deps.engine;
  }

  /** Runs a step and returns a log line. Calls `progress` when something advances within the step. */
  async run(step: PlanStep, signal: AbortSignal, progress: () => void): Promise<string> {
    const engine = this.#engine;
    switch (step.step) {
      case 'pull':
        return await this.#pull(step.image, signal, progress);
      case 'network':
        return await this.#network(step.network);
      case 'volumes':
        await engine.ensureVolume(step.volume);
        return `Created volume ${step.volume.name}`;
      case 'create':
        return await this.#create(step);
      case 'files':
        await engine.putFiles(this.#idOf({ created: step.unit }), step.unit.files);
        return `Wrote ${step.unit.files.length} files into ${step.unit.component}`;
      case 'join':
        await engine.joinNetwork(step.network, this.#idOf(step.target), step.aliases);
        return `${componentOf(step.target)} joined network ${step.network} as ${step.aliases.join(', ')}`;
      case 'start':
        await engine.start(this.#idOf(step.target));
        return `Started ${step.unit.component}`;
      case 'wait_healthy':
        return await this.#waitHealthy(step.unit, this.#idOf(step.target), signal);
      case 'before_start_job':
      case 'after_start_job':
        return await this.#job(step.unit, step.target, signal);
      case 'route':
        return await this.#route(step.ways);
      case 'drain':
        return await this.#drain(step, signal);
      case 'switch':
        await engine.rename(this.#idOf(step.target), step.name);
        return `${step.name} is the new container`;
      case 'stop_old':
        this.#deps.gap.stopping(step.container);
        await engine.stop(step.container.id, step.container.stopGraceMs);
        return `Stopped the old ${step.container.component}`;
      case 'start_old':
        return await this.#startOld(step.container, signal);
      case 'discard':
      case 'remove_old':
        await engine.remove(step.container.id, { force: true });
        return `Removed ${step.step === 'discard' ? 'the unfinished' : 'the old'} ${step.container.component}`;
      case 'drop_network':
        return (await engine.removeNetwork(step.network)) === 'kept'
          ? stuckNetwork(step.network)
          : `Removed network ${step.network}`;
    }
  }

  async #network(spec: NetworkSpec | LinkSpec): Promise<string> {
    if (!('link' in spec)) {
      await this.#engine.ensureNetwork(spec);
      return `Created network ${spec.name}`;
    }
    await connectProvider(this.#engine, spec);
    return `Connected with ${spec.link.component} of ${spec.link.instance}`;
  }

  #idOf(target: Target): string {
    if ('existing' in target) return target.existing.id;
    const id = this.#created.get(target.created.key);
    if (id === undefined) throw new Error(`${target.created.key} has not been created`);
    return id;
  }

  async #pull(image: string, signal: AbortSignal, progress: () => void): Promise<string> {
    const { logins, say, pulled } = this.#deps;
    return await fetchImage(image, { engine: this.#engine, logins, renew: true, signal, progress, say, pulled });
  }

  async #create({ unit, replaces, home }: Doing<'create'>): Promise<string> {
    const { spec } = unit;
    const born =
      home === undefined || spec.network.kind !== 'bridge'
        ? {}
        : { network: { ...spec.network, name: home, aliases: [] } };
    const labels = {
      ...spec.labels,
      ...replacesLabels(replaces),
      ...(home === undefined ? {} : { [label.home]: home }),
    };
    const id = await this.#engine.create({ ...spec, ...born, name: nextName(spec.name), labels });
    this.#created.set(unit.key, id);
    return `Created ${unit.component} from ${spec.image}`;
  }

  async #waitHealthy(unit: Unit, id: string, signal: AbortSignal): Promise<string> {
    this.ready.set(unit.key, await waitReady(this.#engine, id, unit.component, unit.check, signal));
    if (unit.aliases.length > 0 && !this.#deps.apart) await connectUsers(this.#engine, id, unit.spec.labels);
    const gap = this.#deps.gap.ready(unit);
    const missed = gap === undefined ? '' : `; downtime ${gap} ms`;
    return `${unit.component} is ${unit.check ? 'healthy' : 'running'}${missed}`;
  }

  async #job(unit: Unit, target: Target, signal: AbortSignal): Promise<string> {
    const id = this.#idOf(target);
    // Do not start a job twice: an earlier attempt may have started it.
    if ('created' in target) await this.#engine.start(id);
    const code = await this.#engine.wait(id, signal);
    if (code !== 0) {
      const lines = await lastLines(this.#engine, id);
      throw new NotReady('job_failed', `Job ${unit.component} exited with code ${code}`, lines);
    }
    return `Job ${unit.component} succeeded`;
  }

  async #route(ways: readonly Way[]): Promise<string> {
    const { ingress, instanceUid, gap, warn } = this.#deps;
    const routes = await Promise.all(ways.map((way) => this.#served(way)));
    requireFree(ingress, instanceUid, routes);
    await ingress.lead(instanceUid, routes);
    gap.routed(routes.map(({ component }) => component));
    const { trouble } = ingress;
    if (trouble !== undefined) {
      for (const { host, targets } of routes) {
        const address = targets.find((target) => target.address)?.address ?? 'no address';
        warn(`${host} is not reachable: ${trouble}. On the server itself the application listens at ${address}`);
      }
    }
    const list = routes.map(({ host, path, component }) => `${host}${path === '/' ? '' : path} to ${component}`);
    return list.length === 0 ? 'Removed all routes' : `Routed ${list.join(', ')}`;
  }

  async #served({ rule, targets }: Way): Promise<ServedRoute> {
    const found = await Promise.all(targets.map((target) => this.#engine.inspect(this.#idOf(target))));
    return {
      ...rule,
      targets: found.flatMap((facts) => {
        if (facts === undefined) return [];
        const host = addressOf(facts);
        return [{ container: facts.id, address: host === undefined ? undefined : `${host}:${rule.port}` }];
      }),
    };
  }

  async #drain({ container, ports }: Doing<'drain'>, signal: AbortSignal): Promise<string> {
    const facts = await this.#engine.inspect(container.id);
    const addresses = facts ? addressesOf(facts).flatMap((host) => ports.map((port) => `${host}:${port}`)) : [];
    const closed = await connectionsClosed(addresses, container.stopGraceMs, signal);
    return closed
      ? `The old ${container.component} finished its open requests`
      : `The old ${container.component} still has connections after ${container.stopGraceMs} ms; closing them`;
  }

  async #startOld(container: ActualContainer, signal: AbortSignal): Promise<string> {
    await this.#engine.start(container.id);
    const facts = await this.#engine.inspect(container.id);
    const text = facts?.labels[label.probe];
    const check = text === undefined ? undefined : (JSON.parse(text) as ManifestHealthcheck);
    await waitReady(this.#engine, container.id, container.component, check, signal);
    return `The old ${container.component} is running again`;
  }
}

function componentOf(target: Target): string {
  return 'existing' in target ? target.existing.component : target.created.component;
}
