import { EngineProblem, isDiskFull } from '../engine/engine-problem.ts';
import { PoolEmpty } from '../networks/network-pool.ts';
import { ManifestProblem } from '../plan/desired.ts';
import type { RouteRule } from '../plan/routes.ts';
import { MountRefused } from '../policy/guarded-engine.ts';
import { ImageProblem } from '../pull/image-problem.ts';
import { StepFailed } from './apply.ts';
import { NetworkTooSmall } from './network-room.ts';
import { NotReady } from './readiness.ts';
import { TooLate } from './step-time.ts';

/** A container of another owner has a name that this rollout needs. */
export class NameTaken extends Error {}
/** Another instance on the server uses a route of this rollout. */
class RouteTaken extends Error {}

type Address = Pick<RouteRule, 'host' | 'path'>;

/**
 * Throws if another instance uses a route. Called before a rollout and again when it switches routes, since another
 * rollout may have claimed them in between.
 */
export function requireFree(
  ingress: { taken(uid: string, routes: readonly Address[]): (Address & { instanceUid: string }) | undefined },
  instanceUid: string,
  routes: readonly Address[],
): void {
  const claimed = ingress.taken(instanceUid, routes);
  if (claimed)
    throw new RouteTaken(
      `${claimed.host}${claimed.path} is already routed to instance ${claimed.instanceUid} on this server`,
    );
}

/** Why a rollout failed: a message for people and a code for programs. */
export interface Failure {
  error: string;
  reason: string;
  /** The last lines of the container that failed. */
  last_lines?: string[];
}

/** Describes a failure. For an aborted rollout the error of the interrupted step is meaningless and left out. */
export function failureOf(error: unknown, signal: AbortSignal): Failure {
  const reason = reasonOf(error, signal);
  if (signal.aborted) return { reason, error: `The deployment was aborted: ${reason}` };
  const cause = error instanceof StepFailed ? error.cause : error;
  const lines = cause instanceof NotReady && cause.lastLines.length > 0 ? { last_lines: [...cause.lastLines] } : {};
  const advice = '. The disk of the server is full; free some space and deploy again';
  return { reason, error: `${messageOf(error)}${isDiskFull(error) ? advice : ''}`, ...lines };
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
