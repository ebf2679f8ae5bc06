import { isBuiltIn, isDockerCommand } from '@hortus/contract/actions/built-in-actions';
import { span, traceParent } from '@hortus/tracing/span';
import type { OrderBinding, Protect } from '../../channel/protect.ts';
import { CHANNEL_TOPIC } from '../../channel/waker.ts';
import { transition } from '../../state/transition.ts';
import { OutcomeUnknown, type Storage, StorageUnavailable, type Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { holdDaemon } from '../servers/public.ts';
import { DOUBT_MS, resumed, setAlarm } from './deadlines.ts';
import { type CommandDeps, onHost } from './docker-commands.ts';
import { executionLifecycle } from './lifecycle.ts';
import { turns } from './queue.ts';
import { actionRequest, type Knowledge, type Request, readRequest, secretTexts } from './request.ts';
import type { Results } from './results.ts';
import {
  type ExecutionRow,
  findExecution,
  handBack,
  hasUnfinished,
  lockExecution,
  lockUnfinished,
  noteExecution,
} from './store.ts';

/** Notice with the id of an execution that is already marked as sent. */
export const MARKED_TOPIC = 'marked-execution';

export type ActionRequestMessage = ReturnType<typeof actionRequest>;
type ActionCancelMessage = { readonly type: 'action_cancel'; readonly execution_id: string };

/** Connection to a daemon. */
export interface Line {
  readonly epoch: number;
  readonly capabilities: ReadonlySet<string>;
  /** Id of the daemon's journal; null is treated as always the same journal. */
  readonly journal?: string | null;
  /** Key to seal secrets for; null if the daemon has none. */
  readonly sealingKey?: string | null;
  /** Binds the next order to the connection. */
  nextBinding?(): OrderBinding | undefined;
  /** Returns false if the message was certainly not sent. */
  send(message: ActionRequestMessage | ActionCancelMessage): boolean;
  /** Closes it, so that the daemon connects again. */
  reconnect(): void;
}

interface Sending {
  readonly row: ExecutionRow;
  /** Not sent to any daemon before. */
  readonly first: boolean;
}

interface Batch {
  readonly sendings: readonly Sending[];
  readonly unwanted: readonly string[];
  readonly more: boolean;
}

const AT_ONCE = 200;
const none: Batch = { sendings: [], unwanted: [], more: false };

export interface DispatchDeps extends CommandDeps {
  readonly storage: Storage;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly results: Results;
  readonly protect: Protect;
}

/**
 * Sends a daemon its pending executions. They are marked as sent first, and only by the holder of the newest
 * connection, so that after any failure none is sent twice to a daemon that could start it twice.
 */
export async function dispatch(deps: DispatchDeps, serverId: string, line: Line): Promise<void> {
  const { storage, results } = deps;
  if (!(await hasUnfinished(storage.reader, serverId))) return;
  let isMarked = false;
  try {
    let more = true;
    while (more) {
      isMarked = false;
      const batch = await storage.write((tx) => mark(tx, results, serverId, line));
      isMarked = true;
      more = await sendBatch(deps, serverId, line, batch);
    }
  } catch (error) {
    // Executions may be marked as sent on this connection that were not sent; only a new connection sends them again.
    if (error instanceof OutcomeUnknown || (isMarked && error instanceof StorageUnavailable)) line.reconnect();
    throw error;
  }
}

/**
 * Marks a new execution as sent in the transaction of its order, so that it waits for one commit instead of two. Returns false if it has to
 * wait for `dispatch`. Not on PostgreSQL: other transactions lock the server before its instances, and a notice can be lost there.
 */
export async function markNew(tx: Tx, row: ExecutionRow, line: Line): Promise<boolean> {
  if (tx.engine === 'postgres') return false;
  if ((await holdDaemon(tx, row.server_id))?.connection_epoch !== line.epoch) return false;
  const rows = await lockUnfinished(tx, row.server_id);
  const place = rows.findIndex(({ id }) => id === row.id);
  if (turnsOn(line, rows, tx.now)[place] !== 'send') return false;
  await handOver(tx, row, handedTo(line));
  tx.notify(MARKED_TOPIC, row.id);
  return true;
}

/** Sends an execution that `markNew` has marked; the connection may have ended since. */
export async function sendMarked(
  deps: DispatchDeps,
  executionId: string,
  lineTo: (serverId: string) => Line | undefined,
): Promise<void> {
  const row = await findExecution(deps.storage.reader, executionId);
  if (row?.status !== 'sent' || row.sent_epoch === null) return;
  const { id, server_id, sent_epoch } = row;
  const line = lineTo(server_id);
  if (line?.epoch !== sent_epoch) return void (await deps.storage.write((tx) => handBack(tx, id, sent_epoch)));
  await sendBatch(deps, server_id, line, { sendings: [{ row, first: true }], unwanted: [], more: false });
}

/** Sends marked executions. Returns whether to continue with the next batch. */
async function sendBatch(deps: DispatchDeps, serverId: string, line: Line, batch: Batch): Promise<boolean> {
  const { storage, protect, vault } = deps;
  const journal = line.capabilities.has('journal');
  const daemon = { serverId, sealingKey: line.sealingKey ?? null, nextBinding: () => line.nextBinding?.() };
  for (const execution_id of batch.unwanted) line.send(protect({ type: 'action_cancel', execution_id }, daemon));
  const refused: string[] = [];
  const impossible: { readonly id: string; readonly error: string }[] = [];
  for (const { row, first } of batch.sendings) {
    const order = await readRequest(storage.reader, vault, row);
    if (!journal && (order.type === 'http' || order.type === 'job')) {
      impossible.push({ id: row.id, error: needsHortusd(`${row.name}, an action of type ${order.type},`) });
      continue;
    }
    // A daemon with manifests knows the containers of a template's action.
    const request = journal && order.type !== 'builtin' ? order : await onHost(deps, storage.reader, row, order);
    const sent = handedOver(row, request, line, (traced) =>
      line.send(
        protect(actionRequest(row, request, { journal, ...traced }), daemon, secretTexts(row, request, { journal })),
      ),
    );
    if (!sent && first) refused.push(row.id);
  }
  if (impossible.length > 0)
    await storage.write(async (tx) => {
      for (const { id, error } of impossible) {
        const row = await lockExecution(tx, id);
        if (row?.status === 'sent') await deps.results.end(tx, row, 'fail', { actor: null, error });
      }
      // What waited behind them may be sent now.
      tx.notify(CHANNEL_TOPIC, serverId);
    });
  if (refused.length > 0)
    await storage.write(async (tx) => {
      for (const id of refused) await handBack(tx, id, line.epoch);
    });
  return batch.more && refused.length === 0;
}

/** Continues the trace of the order, and hands it to a daemon that understands it. */
function handedOver(
  row: ExecutionRow,
  { traceParent: parent }: Request,
  { capabilities }: Line,
  send: (traced: Pick<Knowledge, 'traceParent'>) => boolean,
): boolean {
  if (parent === undefined || !capabilities.has('trace')) return send({});
  const attributes = { 'hortus.execution_id': row.id, 'hortus.server_id': row.server_id };
  return span('execution handover', { kind: 'producer', parent, attributes }, () =>
    send({ traceParent: traceParent() ?? parent }),
  );
}

async function mark(tx: Tx, results: Results, serverId: string, line: Line): Promise<Batch> {
  const server = await holdDaemon(tx, serverId);
  // Another connection has taken over and sends them.
  if (server?.connection_epoch !== line.epoch) return none;
  const { capabilities } = line;
  const handed = handedTo(line);
  const rows = await lockUnfinished(tx, serverId);
  const decided = turnsOn(line, rows, tx.now);
  const sendings: Sending[] = [];
  const unwanted: string[] = [];
  for (const [index, row] of rows.entries()) {
    if (sendings.length >= AT_ONCE) return { sendings, unwanted, more: true };
    const turn = decided[index];
    if (turn === 'send' && isBuiltIn(row.slug) && !isDockerCommand(row.slug) && !capabilities.has('builtin')) {
      await results.end(tx, row, 'fail', { actor: null, error: needsHortusd(row.name) });
    } else if (turn === 'send') sendings.push({ row: await handOver(tx, row, handed), first: true });
    else if (turn === 'send again') {
      await handAgain(tx, row, handed);
      sendings.push({ row, first: false });
    } else await settleClock(tx, row, turn === 'doubt');
    if (row.cancel_requested_at !== null && capabilities.has('cancel') && row.status !== 'pending')
      unwanted.push(row.id);
  }
  return { sendings, unwanted, more: false };
}

const needsHortusd = (name: string): string =>
  `${name} needs the daemon hortusd; the daemon of this server supports only the published messages.`;

type Handed = Pick<ExecutionRow, 'sent_journal'> & { readonly sent_epoch: number };

const handedTo = ({ epoch, journal }: Line): Handed => ({ sent_epoch: epoch, sent_journal: journal ?? null });

const turnsOn = (line: Line, rows: readonly ExecutionRow[], now: number) =>
  turns(rows, { ...handedTo(line), journal: line.capabilities.has('journal'), now });

/** Keeps the state of an execution that was marked as sent but not delivered. */
async function handOver(tx: Tx, row: ExecutionRow, handed: Handed): Promise<ExecutionRow> {
  if (row.status === 'pending')
    return transition(tx, executionLifecycle, row, 'send', {
      actor: null,
      set: { sent_at: tx.now, ...handed },
    });
  await handAgain(tx, row, handed);
  return row;
}

async function handAgain(tx: Tx, row: ExecutionRow, handed: Handed): Promise<void> {
  await noteExecution(tx, row.id, handed);
  await settleClock(tx, row, false);
}

/** Resumes the deadline after a reconnect; an execution in doubt gets only a short time to be reported. */
async function settleClock(tx: Tx, row: ExecutionRow, inDoubt: boolean): Promise<void> {
  const { deadline_at, paused_at } = resumed(row, tx.now);
  const until = inDoubt ? Math.min(deadline_at, tx.now + DOUBT_MS) : deadline_at;
  if (until === row.deadline_at && paused_at === row.paused_at) return;
  await noteExecution(tx, row.id, { deadline_at: until, paused_at });
  await setAlarm(tx, row.id, until);
}
