import type { NamedFacts, NamedSpec } from '../engine.ts';
import { EngineProblem } from '../engine-problem.ts';

/** What the answers about volumes and networks have in common. */
export interface NamedAnswer {
  Name: string;
  Labels?: Record<string, string> | null;
}

export const named = ({ Name, Labels }: NamedAnswer): NamedFacts => ({ name: Name, labels: Labels ?? {} });

/** Refuses an existing one that was made for something else. */
export function checkOwner(operation: string, spec: NamedSpec, found: NamedAnswer): void {
  const foreign = spec.owner.some((label) => found.Labels?.[label] !== spec.labels[label]);
  if (!foreign) return;
  const detail = 'one of that name exists that was not made for this definition; rename or remove it first';
  throw new EngineProblem({ operation, kind: 'conflict', detail });
}
