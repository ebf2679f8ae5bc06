import { primaryOf } from '@hortus/template/rollout/replacement';
import type { InstanceContext } from '../actions/handlers.ts';
import { runningContainer } from '../instances/instance-containers.ts';
import type { RelayTo } from '../instances/ways.ts';
import { type ActionOutcome, failure, success } from '../journal/action.ts';
import { smokeFailure, smokeReport } from './report.ts';
import { runSmoke } from './smoke.ts';

/** Runs the smoke test of the template against the running instance. */
export async function smokeInstance(
  { engine, uid, manifest }: InstanceContext,
  relayTo?: RelayTo | undefined,
): Promise<ActionOutcome> {
  if (manifest === undefined) return failure('The instance was not deployed by this daemon, so it cannot be tested.');
  const primary = primaryOf(manifest);
  const containerOf = (name: string) => runningContainer(engine, uid, name, name === primary);
  // Route checks ask the container directly; those of a copy need the routes of the original for the port.
  const { routes } = manifest.isolated ?? manifest;
  const result = await runSmoke({ engine, manifest: { ...manifest, routes }, containerOf, relayTo });
  const error = smokeFailure(result);
  const output = smokeReport(result);
  return error === undefined ? success(output) : { ...failure(error), exit_code: 1, output };
}
