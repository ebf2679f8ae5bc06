import type { Actual, ActualContainer } from '../actual.ts';
import { nextName } from '../names.ts';
import type { PlanStep, Target } from '../plan-step.ts';

/** An engine reduced to what planning assumes of it; it refuses, by throwing, what a real one would refuse. */
export class EngineModel {
  containers: ActualContainer[] = [];
  volumes = new Set<string>();
  networks = new Set<string>();
  readonly images = new Set<string>();
  #ids = 0;

  actual(): Actual {
    const containers = this.containers.map((one) => ({ ...one }));
    return { containers, volumes: [...this.volumes], networks: [...this.networks] };
  }

  copy(): EngineModel {
    const copy = new EngineModel();
    copy.containers = this.containers.map((one) => ({ ...one }));
    copy.volumes = new Set(this.volumes);
    copy.networks = new Set(this.networks);
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
          (one) => one !== container && one.component === container.component && one.replica === container.replica,
        );
        if (others.some(({ state }) => state === 'running')) throw new Error('old and new at once');
        this.#run(container);
        return;
      }
      case 'start_old':
        this.#run(this.#byId(step.container.id));
        return;
      case 'wait_healthy':
        if (this.#find(step.target).state !== 'running') throw new Error('waiting for what does not run');
        return;
      case 'before_start_job':
      case 'after_start_job':
        Object.assign(this.#find(step.target), { state: 'exited', exitCode: 0, started: true });
        return;
      case 'stop_old': {
        const container = this.#byId(step.container.id);
        if (container.state === 'running') Object.assign(container, { state: 'exited', exitCode: 143 });
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

  #create({ unit, replaces }: Extract<PlanStep, { step: 'create' }>): void {
    const name = nextName(unit.spec.name);
    this.#checkFree(name);
    if (!this.images.has(unit.spec.image)) throw new Error(`no image ${unit.spec.image}`);
    for (const mount of unit.spec.mounts) {
      if (mount.kind === 'volume' && !this.volumes.has(mount.volume)) throw new Error(`no volume ${mount.volume}`);
    }
    const { network } = unit.spec;
    if (network.kind === 'bridge' && !this.networks.has(network.name)) throw new Error(`no network ${network.name}`);
    this.containers.push({
      id: `id${++this.#ids}`,
      name,
      component: unit.component,
      replica: unit.replica,
      deployment: unit.spec.labels['hortus.deployment'] ?? '',
      config: unit.config,
      state: 'created',
      exitCode: 0,
      started: false,
      stopGraceMs: 0,
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
    const found = this.containers.find((one) => one.name === name);
    if (!found) throw new Error(`no container ${name}`);
    return found;
  }

  #byId(id: string): ActualContainer {
    const found = this.containers.find((one) => one.id === id);
    if (!found) throw new Error(`no container ${id}`);
    return found;
  }

  #checkFree(name: string): void {
    if (this.containers.some((one) => one.name === name)) throw new Error(`the name ${name} is taken`);
  }
}
