import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { Cluster } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { settledPins } from '../pull/settled-pins.ts';
import { type RolloutDeps, rollOut } from '../rollout/rollout.ts';
import { rollOutOnSwarm } from '../swarm/swarm-rollout.ts';

export interface Starting {
  engine: Engine;
  /** The Swarm that this daemon drives; undefined on a plain server. */
  cluster?: Cluster | undefined;
  ingress: RolloutDeps['ingress'];
  /** Logs a line of the action's output. */
  say(line: string): void;
  signal?: AbortSignal | undefined;
  /** For tests that end the process there. */
  boundary?: ((moment: string) => void) | undefined;
}

/**
 * Deploys the manifest of the instance, or some of its components, like a rollout. Throws if it does not become
 * healthy.
 */
export async function startInstance(
  { engine, cluster, ingress, say, signal }: Starting,
  manifest: SignedManifest,
  deploymentId: string,
  only?: ReadonlySet<string>,
): Promise<void> {
  const rollout = {
    deploymentId,
    definitionId: manifest.definition_id,
    revision: manifest.revision,
    serverId: manifest.server_id,
    manifest: await settledPins(engine, manifest),
    former: manifest,
    logins: manifest.registries,
    only,
  };
  const deps = {
    engine,
    ingress,
    events: { log: ({ message }: { message: string }) => say(message), progress: () => {} },
    signal: signal ?? new AbortController().signal,
  };
  const result = await (cluster ? rollOutOnSwarm(rollout, { ...deps, cluster }) : rollOut(rollout, deps));
  if (result.status !== 'success') throw new Error(result.error ?? 'The application could not be started.');
}
