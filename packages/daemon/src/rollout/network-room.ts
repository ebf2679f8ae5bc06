import type { Engine } from '../engine/engine.ts';
import { parseCidr } from '../networks/address-range.ts';
import type { Actual } from '../plan/actual.ts';
import type { Desired } from '../plan/desired.ts';
import { label } from '../plan/labels.ts';
import { containersOn } from '../plan/network-size.ts';
import type { Plan, PlanStep } from '../plan/plan-step.ts';

/** The existing network of the instance has too few addresses for the containers of this deployment. */
export class NetworkTooSmall extends Error {}

/**
 * Throws if an instance has outgrown its network, which is never resized. Checked before any change, because the engine
 * rejects an address only when a container starts.
 */
export async function requireAddresses(
  engine: Pick<Engine, 'networks'>,
  plan: Plan,
  { network, instanceUid }: Desired,
  { containers, networks }: Actual,
): Promise<void> {
  if (network === undefined || !networks.includes(network.name)) return;
  const joining = plan.steps.filter((step) => joins(step, network.name)).length;
  if (joining === 0) return;
  const found = await engine.networks({ labels: { [label.instance]: instanceUid } });
  const { subnets = [] } = found.find(({ name }) => name === network.name) ?? {};
  const range = subnets.map(parseCidr).find((range) => range !== undefined);
  if (range === undefined) return;
  const room = containersOn(range.last - range.first + 1);
  const needed = containers.filter((container) => container.networks.includes(network.name)).length + joining;
  if (needed <= room) return;
  throw new NetworkTooSmall(
    `Network ${network.name} has addresses for ${room} containers, but this deployment temporarily needs ${needed}. ` +
      'Release the instance (its volumes are kept) and deploy it again to get a larger network',
  );
}

function joins(step: PlanStep, network: string): boolean {
  if (step.step === 'join') return step.network === network;
  return step.step === 'create' && step.home === undefined && step.unit.aliases.length > 0;
}
