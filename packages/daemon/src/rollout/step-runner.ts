import type { ManifestHealthcheck } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine, PullProgress } from '../engine/engine.ts';
import { type ActualContainer, type Replaced, replacesLabels } from '../plan/actual.ts';
import type { Unit } from '../plan/desired.ts';
import { label } from '../plan/labels.ts';
import { nextName } from '../plan/names.ts';
import type { PlanStep, Target } from '../plan/plan-step.ts';
import { PullSummary } from './pull-summary.ts';
import { lastLines, NotReady, waitReady } from './readiness.ts';

/** Carries out single steps, and remembers what they led to. */
export class StepRunner {
  readonly #engine: Engine;
  readonly #progress: () => void;
  readonly #say: (line: string) => void;
  /** Ids of the containers made here, by unit. */
  readonly #created = new Map<string, string>();
  readonly #stoppedAt = new Map<string, number>();
  /** Of the containers that became ready, by unit. */
  readonly ready = new Map<string, ContainerFacts>();

  /** `say` is told how far a step is that takes long. */
  constructor(engine: Engine, progress: () => void, say: (line: string) => void) {
    this.#engine = engine;
    this.#say = say;
    this.#progress = progress;
  }

  /** What was done, as one line for the log. */
  async run(step: PlanStep, signal: AbortSignal): Promise<string> {
    const engine = this.#engine;
    switch (step.step) {
      case 'pull':
        return await this.#pull(step.image, signal);
      case 'network':
        await engine.ensureNetwork(step.network);
        return `Made network ${step.network.name}`;
      case 'volumes':
        await engine.ensureVolume(step.volume);
        return `Made volume ${step.volume.name}`;
      case 'create':
        return await this.#create(step.unit, step.replaces);
      case 'files':
        await engine.putFiles(this.#idOf({ created: step.unit }), step.unit.files);
        return `Wrote ${step.unit.files.length} files into ${step.unit.component}`;
      case 'start':
        await engine.start(this.#idOf(step.target));
        return `Started ${step.unit.component}`;
      case 'wait_healthy':
        return await this.#waitHealthy(step.unit, this.#idOf(step.target), signal);
      case 'before_start_job':
      case 'after_start_job':
        return await this.#job(step.unit, step.target, signal);
      case 'switch':
        await engine.rename(this.#idOf(step.target), step.name);
        return `${step.name} is the new container`;
      case 'stop_old':
        this.#stoppedAt.set(unitKey(step.container), performance.now());
        await engine.stop(step.container.id, step.container.stopGraceMs);
        return `Stopped the old ${step.container.component}`;
      case 'start_old':
        return await this.#startOld(step.container, signal);
      case 'discard':
      case 'remove_old':
        await engine.remove(step.container.id, { force: true });
        return `Removed ${step.step === 'discard' ? 'the unfinished' : 'the old'} ${step.container.component}`;
    }
  }

  #idOf(target: Target): string {
    if ('existing' in target) return target.existing.id;
    const id = this.#created.get(target.created.key);
    if (id === undefined) throw new Error(`${target.created.key} has not been created`);
    return id;
  }

  async #pull(image: string, signal: AbortSignal): Promise<string> {
    if (await this.#engine.hasImage(image)) return `Image ${image} is there`;
    const summary = new PullSummary(image, this.#say);
    const heard = (progress: PullProgress) => {
      this.#progress();
      summary.heard(progress);
    };
    await this.#engine.pull(image, heard, { signal });
    return `Pulled ${image}`;
  }

  async #create(unit: Unit, replaces: readonly Replaced[]): Promise<string> {
    const { spec } = unit;
    const labels = { ...spec.labels, ...replacesLabels(replaces) };
    this.#created.set(unit.key, await this.#engine.create({ ...spec, name: nextName(spec.name), labels }));
    return `Created ${unit.component} from ${spec.image}`;
  }

  async #waitHealthy(unit: Unit, id: string, signal: AbortSignal): Promise<string> {
    this.ready.set(unit.key, await waitReady(this.#engine, id, unit.component, unit.check, signal));
    const stopped = this.#stoppedAt.get(unit.key);
    const gap = stopped === undefined ? '' : `; it did not serve for ${Math.round(performance.now() - stopped)} ms`;
    return `${unit.component} is ${unit.check ? 'healthy' : 'running'}${gap}`;
  }

  async #job(unit: Unit, target: Target, signal: AbortSignal): Promise<string> {
    const id = this.#idOf(target);
    // One that an earlier attempt started must not be started a second time.
    if ('created' in target) await this.#engine.start(id);
    const code = await this.#engine.wait(id, signal);
    if (code !== 0) {
      const lines = await lastLines(this.#engine, id);
      throw new NotReady('job_failed', `Job ${unit.component} ended with exit code ${code}${lines}`);
    }
    return `Job ${unit.component} is done`;
  }

  async #startOld(container: ActualContainer, signal: AbortSignal): Promise<string> {
    await this.#engine.start(container.id);
    const facts = await this.#engine.inspect(container.id);
    const text = facts?.labels[label.probe];
    const check = text === undefined ? undefined : (JSON.parse(text) as ManifestHealthcheck);
    await waitReady(this.#engine, container.id, container.component, check, signal);
    return `The old ${container.component} serves again`;
  }
}

function unitKey({ component, replica }: ActualContainer): string {
  return `${component}.${replica}`;
}
