import { EngineProblem } from '../engine-problem.ts';

/** Names and ids that Docker allows for containers, volumes and networks. */
const allowed = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;

type ObjectKind = 'containers' | 'volumes' | 'networks' | 'services' | 'secrets' | 'configs' | 'tasks' | 'nodes';

/**
 * Builds the path of an object. Escaping is not enough: the engine unescapes before it resolves `..`, so a name could
 * reach another endpoint.
 */
export function objectPath(kind: ObjectKind, name: string, operation: string): string {
  if (!allowed.test(name)) throw new EngineProblem({ operation, kind: 'invalid', detail: 'the name is not valid' });
  return `/${kind}/${name}`;
}
