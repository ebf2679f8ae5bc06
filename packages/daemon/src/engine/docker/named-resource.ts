import type { NamedFacts, NamedSpec } from '../engine.ts';
import { EngineProblem } from '../engine-problem.ts';

/** Common fields of volumes and networks. */
export interface NamedResponse {
  Name: string;
  Labels?: Record<string, string> | null;
}

export const named = ({ Name, Labels }: NamedResponse): NamedFacts => ({ name: Name, labels: Labels ?? {} });

/** Rejects an existing object of another owner. */
export function checkOwner(operation: string, spec: NamedSpec, found: NamedResponse): void {
  const foreign = spec.owner.some((label) => found.Labels?.[label] !== spec.labels[label]);
  if (!foreign) return;
  const detail = 'it exists already, but was not created for this definition; rename or remove it first';
  throw new EngineProblem({ operation, kind: 'conflict', detail });
}
