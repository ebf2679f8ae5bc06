import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import { label } from '../plan/labels.ts';

/** Finds the running container to enter: of the given component, otherwise the main one of the instance. */
export async function findContainer(
  engine: Pick<Engine, 'containers'>,
  instance: string,
  component: string | undefined,
): Promise<ContainerFacts | undefined> {
  const all = await engine.containers({ labels: { [label.managed]: 'true', [label.instance]: instance } });
  const running = all.filter(
    ({ state, labels }) =>
      state === 'running' &&
      labels[label.component] !== undefined &&
      labels[label.execution] === undefined &&
      (component === undefined || labels[label.component] === component),
  );
  const rank = ({ labels }: ContainerFacts) =>
    (labels[label.primary] === 'true' ? 0 : 1_000_000) + Number(labels[label.replica] ?? 1);
  // A shell on another node needs a tunnel to it.
  const isElsewhere = ({ node }: ContainerFacts) => Number(node !== undefined);
  // During a rollout there may be two; the newer one stays.
  return running.sort((a, b) => isElsewhere(a) - isElsewhere(b) || rank(a) - rank(b) || b.createdAt - a.createdAt)[0];
}

const SHELLS = ['/bin/bash', '/bin/sh'] as const;

/** Returns the preferred shell that the container has. */
export async function findShell(engine: Pick<Engine, 'pathFacts'>, id: string): Promise<string | undefined> {
  for (const shell of SHELLS) {
    try {
      await engine.pathFacts(id, shell);
      return shell;
    } catch (error) {
      if (!isEngineProblem(error, 'not_found')) throw error;
    }
  }
  return undefined;
}
