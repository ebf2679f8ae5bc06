import { type Actual, type ActualContainer, isNext } from '../actual.ts';
import { nextName } from '../names.ts';
import type { PlanStep, Target } from '../plan-step.ts';
import type { ActualRoute } from '../routes.ts';

/** A model of the engine for planning; throws where a real engine would fail. */
export class EngineModel {
  containers: ActualContainer[] = [];
  volumes = new Set<string>();
  networks = new Set<string>();
  routes: ActualRoute[] = [];
  /** Aliases by network and container. */
  aliases = new Map<string, readonly string[]>();
  /** Ids of containers that were healthy since their start. */
  healthy = new Set<string>();
  readonly images = new Set<string>();
  #ids = 0;

  actual(): Actual {
    const containers = this.containers.map((container) => ({ ...container }));
    const routes = this.routes.map((route) => ({ ...route }));
    return { containers, volumes: [...this.volumes], networks: [...this.networks], routes };
  }

  copy(): EngineModel {
    const copy = new EngineModel();
    copy.containers = this.containers.map((container) => ({ ...container }));
    copy.volumes = new Set(this.volumes);
    copy.networks = new Set(this.networks);
    copy.routes = this.routes.map((route) => ({ ...route }));
    copy.aliases = new Map(this.aliases);
    copy.healthy = new Set(this.healthy);
    for (const image of this.images) copy.images.add(image);
    copy.#ids = this.#ids;
    return copy;
  }

  apply(step: PlanStep): void {
    switch (step.step) {
      case 'pull':
        this.images.add(step.image);
        return;
      case 'network':
        this.networks.add(step.network.name);
        return;
      case 'volumes':
        this.volumes.add(step.volume.name);
        return;
      case 'create':
        this.#create(step);
        return;
      case 'files':
        if (this.#find({ created: step.unit }).state !== 'created') throw new Error('files into a started container');
        return;
      case 'start': {
        const container = this.#find(step.target);
        const others = this.containers.filter(
          (item) => item !== container && item.component === container.component && item.replica === container.replica,
        );
        const beside = container.home !== undefined && isNext(container);
        if (!beside && others.some(({ state }) => state === 'running')) throw new Error('old and new at once');
        this.#run(container);
        return;
      }
      case 'start_old':
        this.#run(this.#byId(step.container.id));
        this.healthy.add(step.container.id);
        return;
      case 'wait_healthy': {
        const { id, state } = this.#find(step.target);
        if (state !== 'running') throw new Error('waiting for a container that is not running');
        this.healthy.add(id);
        return;
      }
      case 'join':
        this.#join(step);
        return;
      case 'route':
        this.routes = step.ways.map(({ rule, targets }) => ({
          ...rule,
          containers: targets.map((target) => this.#ready(target).id),
        }));
        return;
      case 'drain':
        if (this.routes.some(({ containers }) => containers.includes(step.container.id)))
          throw new Error('draining a container that routes lead to');
        return;
      case 'drop_network':
        this.networks.delete(step.network);
        if (this.containers.some(({ home }) => home === step.network)) throw new Error('a network in use was removed');
        for (const container of this.containers)
          container.networks = container.networks.filter((name) => name !== step.network);
        return;
      case 'before_start_job':
      case 'after_start_job':
        Object.assign(this.#find(step.target), { state: 'exited', exitCode: 0, started: true });
        return;
      case 'stop_old': {
        const container = this.#byId(step.container.id);
        if (container.state === 'running') Object.assign(container, { state: 'exited', exitCode: 143 });
        this.healthy.delete(container.id);
        return;
      }
      case 'discard':
      case 'remove_old':
        this.#byId(step.container.id);
        this.containers = this.containers.filter(({ id }) => id !== step.container.id);
        return;
      case 'switch':
        this.#checkFree(step.name);
        this.#find(step.target).name = step.name;
    }
  }

  /** Running containers that have an alias on a network. */
  named(network: string, alias: string): ActualContainer[] {
    return this.containers.filter(
      ({ id, state }) => state === 'running' && this.aliases.get(`${network} ${id}`)?.includes(alias),
    );
  }

  #join({ network, target, aliases }: Extract<PlanStep, { step: 'join' }>): void {
    const container = this.#find(target);
    if (!this.networks.has(network)) throw new Error(`no network ${network}`);
    if (container.networks.includes(network)) throw new Error('the container is already on the network');
    if (isNext(container) && container.home !== undefined) this.#ready(target);
    container.networks = [...container.networks, network];
    this.aliases.set(`${network} ${container.id}`, aliases);
  }

  #ready(target: Target): ActualContainer {
    const container = this.#find(target);
    if (container.state !== 'running' || !this.healthy.has(container.id)) throw new Error('a name or route too early');
    return container;
  }

  #create({ unit, replaces, home }: Extract<PlanStep, { step: 'create' }>): void {
    const name = nextName(unit.spec.name);
    this.#checkFree(name);
    if (!this.images.has(unit.spec.image)) throw new Error(`no image ${unit.spec.image}`);
    for (const mount of unit.spec.mounts) {
      if (mount.kind === 'volume' && !this.volumes.has(mount.volume)) throw new Error(`no volume ${mount.volume}`);
    }
    const { network } = unit.spec;
    const birthplace = home ?? (network.kind === 'bridge' ? network.name : undefined);
    if (birthplace !== undefined && !this.networks.has(birthplace)) throw new Error(`no network ${birthplace}`);
    const id = `id${++this.#ids}`;
    if (birthplace !== undefined && home === undefined && network.kind === 'bridge')
      this.aliases.set(`${birthplace} ${id}`, network.aliases);
    this.containers.push({
      id,
      name,
      component: unit.component,
      replica: unit.replica,
      deployment: unit.spec.labels['hortus.deployment'] ?? '',
      config: unit.config,
      altered: false,
      state: 'created',
      exitCode: 0,
      started: false,
      stopGraceMs: 0,
      home,
      networks: birthplace === undefined ? [] : [birthplace],
      replaces,
    });
  }

  #run(container: ActualContainer): void {
    container.state = 'running';
    container.started = true;
  }

  #find(target: Target): ActualContainer {
    if ('existing' in target) return this.#byId(target.existing.id);
    const name = nextName(target.created.spec.name);
    const found = this.containers.find((container) => container.name === name);
    if (!found) throw new Error(`no container ${name}`);
    return found;
  }

  #byId(id: string): ActualContainer {
    const found = this.containers.find((container) => container.id === id);
    if (!found) throw new Error(`no container ${id}`);
    return found;
  }

  #checkFree(name: string): void {
    if (this.containers.some((container) => container.name === name)) throw new Error(`the name ${name} is taken`);
  }
}
