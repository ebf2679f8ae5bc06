import { EngineProblem } from '../engine-problem.ts';

/** What Docker itself allows as a name or id of a container, a volume or a network. */
const allowed = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;

/**
 * The path of one object of the engine. Escaping would not do: the engine unescapes before it takes `..` for the parent, so
 * that a name could turn into another call.
 */
export function objectPath(kind: 'containers' | 'volumes' | 'networks', name: string, operation: string): string {
  if (!allowed.test(name)) throw new EngineProblem({ operation, kind: 'invalid', detail: 'that is no name of one' });
  return `/${kind}/${name}`;
}
