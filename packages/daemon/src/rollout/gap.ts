import type { Reading } from '../instances/read-actual.ts';
import { type ActualContainer, isNext, isUp } from '../plan/actual.ts';

type Which = Pick<ActualContainer, 'component' | 'replica'>;

const keyOf = ({ component, replica }: Which): string => `${component}.${replica}`;

/** Measures the downtime of an instance while a container had to stop before its successor could start. */
export class Gap {
  readonly #stopped = new Map<string, { component: string; at: number }>();
  readonly #served = new Set<string>();
  #longest: number | undefined;

  /** Continues the measurement for containers that an interrupted rollout had stopped. */
  constructor({ actual, facts }: Reading) {
    for (const next of actual.containers.filter(isNext)) {
      for (const { id } of next.replaces.filter(({ running }) => running)) {
        const old = actual.containers.find((container) => container.id === id);
        const at = facts.get(id)?.finishedAt;
        if (old && !isUp(old) && at !== undefined) this.#stopped.set(keyOf(old), { component: old.component, at });
      }
    }
  }

  /** Longest downtime; 0 if containers were replaced without any, undefined if none was replaced. */
  get ms(): number | undefined {
    return this.#longest;
  }

  stopping(container: Which): void {
    this.#longest ??= 0;
    // Its successor already serves.
    if (this.#served.has(keyOf(container))) return;
    this.#stopped.set(keyOf(container), { component: container.component, at: Date.now() });
  }

  ready(unit: Which): number | undefined {
    this.#served.add(keyOf(unit));
    const stopped = this.#stopped.get(keyOf(unit));
    return stopped === undefined ? undefined : this.#note(stopped.at);
  }

  /** Ends the downtime of routed components: external requests succeed only now. */
  routed(components: readonly string[]): void {
    for (const { component, at } of this.#stopped.values()) if (components.includes(component)) this.#note(at);
    this.#stopped.clear();
  }

  #note(since: number): number {
    const gap = Math.max(0, Date.now() - since);
    this.#longest = Math.max(this.#longest ?? 0, gap);
    return gap;
  }
}
