import { updateTargetMachine } from '@hortus/contract/machines/daemon-update';
import { type MoveOf, step } from '@hortus/contract/machines/machine';
import type { DaemonUpdateState, UpdateReport } from '@hortus/contract/releases/daemon-update';
import { transition } from '../../state/transition.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { wakeUpdate } from './job.ts';
import { auditTarget, updateTargetLifecycle } from './lifecycle.ts';
import { lockUpdateById, noteReceived, type TargetRow, targetById, type UpdateRow } from './store.ts';

const moves: Readonly<Record<DaemonUpdateState, MoveOf<typeof updateTargetMachine>>> = {
  downloading: 'download',
  verified: 'verify',
  trying: 'try',
  done: 'finish',
  returned: 'return',
  refused: 'refuse',
};

/** Repeated reports are noted this often at most. */
const NOTE_MS = 60_000;

/**
 * Records the state that a daemon reports. Daemons repeat their last report after every connect, so one without news
 * writes nothing, and one about an update that is forgotten or belongs to another server is ignored.
 */
export async function recordUpdateReport(storage: Storage, serverId: string, report: UpdateReport): Promise<void> {
  const known = await targetById(storage.reader, report.update_id);
  if (known?.server_id !== serverId || !isNews(known, report, Date.now())) return;
  await storage.write(async (tx) => {
    const update = await lockUpdateById(tx, known.update_id);
    const target = await targetById(tx, known.id);
    if (update && target) await record(tx, update, target, report);
  });
}

const stepTo = ({ status }: TargetRow, { state }: UpdateReport) => step(updateTargetMachine, status, moves[state]);

function isNews(target: TargetRow, report: UpdateReport, now: number): boolean {
  if (stepTo(target, report)) return true;
  return target.finished_at === null && target.status === report.state && now > target.heard_at + NOTE_MS;
}

async function record(tx: Tx, update: UpdateRow, target: TargetRow, report: UpdateReport): Promise<void> {
  const taken = stepTo(target, report);
  if (!taken) {
    if (target.finished_at === null) await noteReceived(tx, target.id);
    return;
  }
  const isFinal = updateTargetMachine.final.includes(taken.to);
  const failed = taken.to === 'returned' || taken.to === 'refused';
  const changed = await transition(tx, updateTargetLifecycle, target, moves[report.state], {
    actor: target.server_id,
    set: {
      heard_at: tx.now,
      reason: failed ? (report.reason ?? null) : null,
      error: failed ? (report.message ?? report.reason ?? null) : null,
      ...(isFinal && { finished_at: tx.now }),
    },
  });
  if (!isFinal) return;
  await auditTarget(tx, changed, update.version);
  await wakeUpdate(tx, update.id);
}
