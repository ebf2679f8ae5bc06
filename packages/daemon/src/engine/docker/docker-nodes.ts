import type { NodeFacts } from '../cluster.ts';
import { isEngineProblem } from '../engine-problem.ts';
import { type NodeResponse, nodeFacts } from './cluster-responses.ts';
import type { DockerApi } from './docker-api.ts';
import { objectPath } from './object-path.ts';

/** The Swarm changes nodes by itself too, and refuses a change of an older version. */
const OUT_OF_SEQUENCE = /update out of sequence/i;
const MAX_TRIES = 5;

export async function listNodes(api: DockerApi): Promise<NodeFacts[]> {
  const call = { operation: 'list nodes', method: 'GET', path: '/nodes', timeout: api.timeouts.quick } as const;
  return ((await api.json<NodeResponse[] | null>(call)) ?? []).map(nodeFacts);
}

/** Idempotent. The Swarm moves the tasks of a drained node afterwards. */
export async function changeNode(api: DockerApi, id: string, availability: 'active' | 'drain'): Promise<void> {
  const operation = `change node ${id}`;
  const path = objectPath('nodes', id, operation);
  for (let tries = 1; ; tries++) {
    const current = await api.json<NodeResponse & { Version: { Index: number } }>({
      operation,
      method: 'GET',
      path,
      timeout: api.timeouts.quick,
    });
    if (current.Spec.Availability === availability) return;
    try {
      await api.call({
        operation,
        method: 'POST',
        path: `${path}/update`,
        query: { version: String(current.Version.Index) },
        body: { ...current.Spec, Availability: availability },
        timeout: api.timeouts.heavy,
      });
      return;
    } catch (error) {
      if (tries >= MAX_TRIES || !isEngineProblem(error) || !OUT_OF_SEQUENCE.test(error.message)) throw error;
    }
  }
}
