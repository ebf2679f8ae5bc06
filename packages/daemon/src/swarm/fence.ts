import type { Cluster } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';

type Calls<Name extends string> = Record<Name, (...args: never[]) => Promise<unknown>>;

/**
 * Refuses these calls while the work that makes them may not change anything: this daemon does not lead its cluster, or another
 * member led since the work began. Such work ends at its next change, and the next leader finds things as they are.
 */
function fenced<Name extends string, Whole extends Calls<Name>>(
  whole: Whole,
  operations: Readonly<Record<Name, string>>,
  mayChange: () => boolean,
): Whole {
  const calls: Calls<Name> = whole;
  const fenceOf =
    (name: Name) =>
    async (...args: never[]) => {
      if (mayChange()) return await calls[name](...args);
      const detail = 'this daemon does not lead its cluster, or another member led since this work began';
      throw new EngineProblem({ operation: operations[name], kind: 'aborted', detail });
    };
  const names = Object.keys(operations) as Name[];
  return { ...whole, ...Object.fromEntries(names.map((name) => [name, fenceOf(name)])) };
}

/** Fences everything that changes the Swarm. */
export const fencedCluster = (cluster: Cluster, mayChange: () => boolean): Cluster =>
  fenced(
    cluster,
    {
      changeNode: 'change a node',
      createService: 'create a service',
      updateService: 'update a service',
      scaleService: 'scale a service',
      restartService: 'restart a service',
      rollBackService: 'roll a service back',
      removeService: 'remove a service',
      ensureNetwork: 'create a network',
      createContent: 'store a content',
      removeContent: 'remove a content',
    },
    mayChange,
  );

/**
 * Fences what creates containers on the node of a member, and what changes its volumes, networks and images: the next leader may
 * run services on the volume that a former one restores. Removing containers stays possible, because helper containers are
 * removed after a failure too, and the engine protects those of tasks.
 */
export const fencedEngine = (engine: Engine, mayChange: () => boolean): Engine =>
  fenced(
    engine,
    {
      create: 'create a container',
      start: 'start a container',
      putFiles: 'write files',
      writeArchive: 'unpack an archive',
      ensureVolume: 'create a volume',
      removeVolume: 'remove a volume',
      ensureNetwork: 'create a network',
      removeNetwork: 'remove a network',
      removeImage: 'remove an image',
    },
    mayChange,
  );
