import { type ActualContainer, isNext, isUp } from '../plan/actual.ts';
import type { Reading } from './read-actual.ts';

type Which = Pick<ActualContainer, 'component' | 'replica'>;

const keyOf = ({ component, replica }: Which): string => `${component}.${replica}`;

/** Measures for how long an instance did not serve because one container had to go before the next could come. */
export class Gap {
  readonly #stopped = new Map<string, { component: string; at: number }>();
  readonly #served = new Set<string>();
  #longest: number | undefined;

  /** What a rollout that was cut off had stopped is measured on from there. */
  constructor({ actual, facts }: Reading) {
    for (const next of actual.containers.filter(isNext)) {
      for (const { id } of next.replaces.filter(({ running }) => running)) {
        const old = actual.containers.find((one) => one.id === id);
        const at = facts.get(id)?.finishedAt;
        if (old && !isUp(old) && at !== undefined) this.#stopped.set(keyOf(old), { component: old.component, at });
      }
    }
  }

  /** Of the longest one; 0 if containers were replaced without any, undefined if none was replaced. */
  get ms(): number | undefined {
    return this.#longest;
  }

  stopping(container: Which): void {
    this.#longest ??= 0;
    // Its successor serves already.
    if (this.#served.has(keyOf(container))) return;
    this.#stopped.set(keyOf(container), { component: container.component, at: Date.now() });
  }

  ready(unit: Which): number | undefined {
    this.#served.add(keyOf(unit));
    const stopped = this.#stopped.get(keyOf(unit));
    return stopped === undefined ? undefined : this.#note(stopped.at);
  }

  /** For those who come from outside it is over only now. */
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
