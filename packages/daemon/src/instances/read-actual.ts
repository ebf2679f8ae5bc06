import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import type { ServedRoute } from '../journal/served-route.ts';
import { type Actual, actualContainer } from '../plan/actual.ts';
import type { Desired } from '../plan/desired.ts';
import { label } from '../plan/labels.ts';

export interface Reading {
  actual: Actual;
  /** Facts by container id. */
  facts: ReadonlyMap<string, ContainerFacts>;
}

/**
 * Reads the objects of an instance by their labels, and its routes from the ingress. Ignores objects of other
 * definitions under the same name.
 */
export async function readActual(
  engine: Pick<Engine, 'containers' | 'volumes' | 'networks'>,
  serverId: string,
  { definitionId, instanceUid }: Pick<Desired, 'definitionId' | 'instanceUid'>,
  routes: readonly ServedRoute[],
): Promise<Reading> {
  const instance = { [label.managed]: 'true', [label.instance]: instanceUid, [label.definition]: definitionId };
  const [containers, volumes, networks] = await Promise.all([
    engine.containers({ labels: { ...instance, [label.server]: serverId } }),
    engine.volumes({ labels: instance }),
    engine.networks({ labels: instance }),
  ]);
  return {
    actual: {
      containers: containers.flatMap((facts) => actualContainer(facts) ?? []),
      volumes: volumes.map(({ name }) => name),
      networks: networks.map(({ name }) => name),
      routes: routes.map(({ targets, ...rule }) => ({
        ...rule,
        containers: targets.map((target) => target.container),
      })),
    },
    facts: new Map(containers.map((facts) => [facts.id, facts])),
  };
}
