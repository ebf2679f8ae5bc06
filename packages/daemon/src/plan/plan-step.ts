import type { StepId } from '@hortus/contract/actions/steps';
import type { LinkSpec, NamedSpec, NetworkSpec } from '../engine/engine.ts';
import type { ActualContainer, Replaced } from './actual.ts';
import type { Unit } from './desired.ts';
import type { RouteRule } from './routes.ts';

/** Container of a step: an existing one, or the one that this plan creates for a unit. */
export type Target = { existing: ActualContainer } | { created: Unit };

/** A route and its target containers. */
export interface Way {
  rule: RouteRule;
  targets: readonly Target[];
}

type Doing =
  | { step: 'discard' | 'stop_old' | 'remove_old' | 'start_old'; container: ActualContainer }
  | { step: 'pull'; image: string }
  | { step: 'network'; network: NetworkSpec | LinkSpec }
  | { step: 'volumes'; volume: NamedSpec }
  | { step: 'create'; unit: Unit; replaces: readonly Replaced[]; home: string | undefined }
  | { step: 'join'; network: string; target: Target; aliases: readonly string[] }
  | { step: 'route'; ways: readonly Way[] }
  | { step: 'drain'; container: ActualContainer; ports: readonly number[] }
  | { step: 'drop_network'; network: string }
  | { step: 'files'; unit: Unit }
  | { step: 'start' | 'wait_healthy' | 'before_start_job' | 'after_start_job'; unit: Unit; target: Target }
  | { step: 'switch'; target: Target; name: string };

/** `after` lists the keys of steps that must succeed first; other steps may run in parallel. */
export interface OrderedStep {
  key: string;
  after: readonly string[];
  step: StepId;
}

export type PlanStep = OrderedStep & Doing;

export interface Plan {
  /** In an order that respects `after`. */
  steps: readonly PlanStep[];
}

/** Sorts steps by `after` and drops references to steps that are not in the plan. */
export function inOrder<Step extends OrderedStep>(steps: readonly Step[]): Step[] {
  const byKey = new Map(steps.map((step) => [step.key, step]));
  const ordered = new Map<string, Step>();
  const open = new Set<string>();
  const place = (step: Step) => {
    if (ordered.has(step.key)) return;
    if (open.has(step.key)) throw new Error('Components depend on each other in a cycle');
    open.add(step.key);
    const after = [...new Set(step.after)].filter((key) => byKey.has(key));
    for (const key of after) place(byKey.get(key) as Step);
    ordered.set(step.key, { ...step, after });
  };
  for (const step of steps) place(step);
  return [...ordered.values()];
}
