import { EngineProblem, isDiskFull } from '../engine/engine-problem.ts';
import type { Ingress } from '../ingress/ingress.ts';
import { PoolEmpty } from '../networks/network-pool.ts';
import { ManifestProblem } from '../plan/desired.ts';
import { MountRefused } from '../policy/guarded-engine.ts';
import { ImageProblem } from '../pull/fetch-image.ts';
import { StepFailed } from './apply.ts';
import { NetworkTooSmall } from './network-room.ts';
import { NotReady } from './readiness.ts';
import { TooLate } from './step-time.ts';

/** A container that is not ours has a name that we will need. */
export class NameTaken extends Error {}
/** Another instance of the server has a way in that we will need. */
class RouteTaken extends Error {}

/** Asked before a rollout begins, and again when it leads its routes: meanwhile another may have come first. */
export function requireFree(
  ingress: Pick<Ingress, 'taken'>,
  instanceUid: string,
  routes: readonly { host: string; path: string }[],
): void {
  const claimed = ingress.taken(instanceUid, routes);
  if (claimed)
    throw new RouteTaken(`${claimed.host}${claimed.path} leads to the instance ${claimed.instanceUid} on this server`);
}

/** Why a rollout failed: for a person, and in one word for code. */
export interface Failure {
  error: string;
  reason: string;
}

/** What a step that was told to stop says of itself is of no use to anybody. */
export function failureOf(error: unknown, signal: AbortSignal): Failure {
  const reason = reasonOf(error, signal);
  if (signal.aborted) return { reason, error: `The deployment was ended: ${reason}` };
  const advice = '. The disk of the server is full; make room there and deploy again';
  return { reason, error: `${messageOf(error)}${isDiskFull(error) ? advice : ''}` };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return typeof signal.reason === 'string' ? signal.reason : 'aborted';
  const cause = error instanceof StepFailed ? error.cause : error;
  if (isDiskFull(cause)) return 'disk_full';
  if (cause instanceof NotReady) return cause.reason;
  if (cause instanceof MountRefused) return 'refused';
  if (cause instanceof ImageProblem) return 'image';
  if (cause instanceof ManifestProblem) return 'manifest';
  if (cause instanceof NameTaken) return 'name_taken';
  if (cause instanceof RouteTaken) return 'route_taken';
  if (cause instanceof PoolEmpty) return 'network_pool';
  if (cause instanceof NetworkTooSmall) return 'network_size';
  if (cause instanceof TooLate) return 'deadline';
  if (cause instanceof EngineProblem) return 'engine';
  return 'internal';
}
