import type { daemonUpdateMachine, updateTargetMachine } from '@hortus/contract/machines/daemon-update';
import type { StateOf } from '@hortus/contract/machines/machine';

/** Daemons of one update that download and try a release at the same time. */
export const AT_ONCE = 10;
/** A daemon that reports nothing for so long has failed: a download and a trial take minutes. */
export const SILENCE_MS = 30 * 60_000;

type TargetStatus = StateOf<typeof updateTargetMachine>;

/** The facts about an update that decide what happens next. */
export interface UpdateFacts {
  readonly status: StateOf<typeof daemonUpdateMachine>;
  /** Current stage, from 1. */
  readonly stage: number;
  readonly maxFailed: number;
  readonly stageBegunAt: number;
  readonly offlineMs: number;
}

export interface TargetFacts {
  readonly id: string;
  readonly stage: number;
  readonly status: TargetStatus;
  /** A failure that a person has accepted by continuing. */
  readonly accepted: boolean;
  /** The last report of the daemon, or the order. */
  readonly receivedAt: number;
  readonly server: 'connected' | 'offline' | 'removed';
}

export type GivenUp = 'removed' | 'offline' | 'silent';

export interface Decision {
  /** Targets that are given up, and why. */
  readonly giveUp: readonly { readonly id: string; readonly why: GivenUp }[];
  /** Targets to order now. */
  readonly order: readonly string[];
  readonly next: 'halt' | 'advance' | 'complete' | 'fail' | undefined;
  /** When to decide again, if nothing is reported before; undefined if nothing is left to wait for. */
  readonly checkAt: number | undefined;
}

const active: readonly TargetStatus[] = ['ordered', 'downloading', 'verified', 'trying'];
export const isActive = (status: TargetStatus): boolean => active.includes(status);
const failures: readonly TargetStatus[] = ['returned', 'refused', 'unreachable'];
export const isFailure = (status: TargetStatus): boolean => failures.includes(status);

/**
 * Decides the next step of an update. At most one of `giveUp`, `next` and `order` is non-empty: the caller applies it and
 * decides again, so that each decision sees the result of the one before.
 */
export function decide(update: UpdateFacts, targets: readonly TargetFacts[], now: number): Decision {
  const giveUp = targets.flatMap(({ id, ...target }) => {
    const why = givenUp(update, { id, ...target }, now);
    return why ? [{ id, why }] : [];
  });
  if (giveUp.length > 0) return { giveUp, order: [], next: undefined, checkAt: now };
  const next = nextOf(update, targets);
  if (next) return { giveUp: [], order: [], next, checkAt: now };
  const here = update.status === 'running' ? targets.filter(({ stage }) => stage === update.stage) : [];
  const room = Math.max(0, AT_ONCE - targets.filter(({ status }) => isActive(status)).length);
  const ready = here.filter(({ status, server }) => status === 'queued' && server === 'connected');
  const order = ready.slice(0, room).map(({ id }) => id);
  return { giveUp: [], order, next: undefined, checkAt: order.length > 0 ? now : deadlineOf(update, targets, here) };
}

function givenUp(update: UpdateFacts, target: TargetFacts, now: number): GivenUp | undefined {
  const { status, stage, server, receivedAt } = target;
  const waits = status === 'queued';
  if (!waits && !isActive(status)) return undefined;
  if (server === 'removed') return 'removed';
  if (!waits) return now >= receivedAt + SILENCE_MS ? 'silent' : undefined;
  const isDue = update.status === 'running' && stage === update.stage && server === 'offline';
  return isDue && now >= update.stageBegunAt + update.offlineMs ? 'offline' : undefined;
}

function nextOf({ status, stage, maxFailed }: UpdateFacts, targets: readonly TargetFacts[]): Decision['next'] {
  if (status !== 'running' && status !== 'halted') return undefined;
  const failed = targets.filter((target) => isFailure(target.status) && !target.accepted).length;
  const open = targets.filter((target) => target.status === 'queued' || isActive(target.status));
  if (failed > maxFailed) {
    // Nothing is left that a person could continue.
    if (open.length === 0) return 'fail';
    return status === 'running' ? 'halt' : undefined;
  }
  // In a halted update too: a daemon that was given up may have reported success meanwhile.
  if (open.length === 0) return 'complete';
  return status === 'halted' || open.some((target) => target.stage <= stage) ? undefined : 'advance';
}

function deadlineOf(
  { stageBegunAt, offlineMs }: UpdateFacts,
  targets: readonly TargetFacts[],
  here: readonly TargetFacts[],
): number | undefined {
  const ends = [
    ...targets.filter(({ status }) => isActive(status)).map(({ receivedAt }) => receivedAt + SILENCE_MS),
    ...here
      .filter(({ status, server }) => status === 'queued' && server === 'offline')
      .map(() => stageBegunAt + offlineMs),
  ];
  return ends.length === 0 ? undefined : Math.min(...ends);
}
