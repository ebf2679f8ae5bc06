import { type LogMessage, type LogOrder, logOrders, type StreamedLine } from '@hortus/contract/channel/streams';
import { checkSchema } from '@hortus/template/schema/schema-check';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import type { ServeStream, Stream, StreamOpening } from '../streams/stream.ts';
import type { InstanceLog } from './instance-log.ts';
import { isLogName, type LogStore } from './log-store.ts';
import type { StoredLine } from './stored-line.ts';

/** New lines are sent together after this time, which is short for people and saves most of the messages. */
const COLLECT_MS = 100;
/** Lines and characters that wait to be sent; more are left out, so that a slow follower cannot delay the daemon or fill its memory. */
const MAX_WAITING = { lines: 2_000, characters: 512 * 1024 };
/** Characters in one message, below the limit of a message even if every one is escaped. */
const MESSAGE_CHARACTERS = 128 * 1024;

/** Serves the stored output of an instance: a page of it, or every new line. */
export const serveLogs =
  (store: Pick<LogStore, 'of'>, log: Log): ServeStream =>
  async (stream, { instance, requireSigned }) => {
    if (!isLogName(instance)) throw new Error('the name of the instance is invalid');
    const order = await firstMessage(stream, requireSigned, log);
    const instanceLog = await store.of(instance);
    if (order.mode === 'read') await sendPage(stream, instanceLog, order);
    else await sendNewLines(stream, instanceLog, order.component, log);
  };

/** Waits for the order; the service sends it at once, and closes the stream if it has none. */
function firstMessage(stream: Stream, requireSigned: StreamOpening['requireSigned'], log: Log): Promise<LogOrder> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error('the stream was closed'));
    stream.signal.addEventListener('abort', guarded(log, closed), { once: true });
    stream.listen((data) => {
      try {
        const order = JSON.parse(data.toString());
        requireSigned(order);
        // The check does not tell the members of a union apart by a literal.
        const form = order?.mode === 'read' ? logOrders.read : logOrders.follow;
        const [remark] = checkSchema(form, order);
        if (remark) reject(new Error(`the order is malformed: ${remark.message}`));
        else resolve(order as LogOrder);
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

async function sendPage(
  stream: Stream,
  log: InstanceLog,
  { mode: _, ...query }: Extract<LogOrder, { mode: 'read' }>,
): Promise<void> {
  const { lines, end, more, dropped } = await log.read(query);
  for (const part of parts(lines)) await sendWhole(stream, { lines: part });
  await sendWhole(stream, { end, more, ...(dropped > 0 && { dropped }) });
}

async function sendWhole(stream: Stream, message: LogMessage): Promise<void> {
  const text = JSON.stringify(message);
  while (!stream.signal.aborted && !stream.send(text)) await stream.drained();
}

/** Sends new lines until the stream ends. Never waits for the service: it leaves lines out and says how many. */
async function sendNewLines(
  stream: Stream,
  instanceLog: InstanceLog,
  component: string | undefined,
  log: Log,
): Promise<void> {
  let waiting: StoredLine[] = [];
  let characters = 0;
  let leftOut = 0;
  let lastLeftOut = 0;
  const leaveOut = (lines: readonly StreamedLine[]) => {
    leftOut += lines.length;
    lastLeftOut = lines.at(-1)?.position ?? lastLeftOut;
  };
  let soon: NodeJS.Timeout | undefined;
  const flush = () => {
    soon = undefined;
    const lines = waiting;
    waiting = [];
    characters = 0;
    for (const part of parts(lines)) if (!stream.send(JSON.stringify({ lines: part }))) leaveOut(part);
    if (leftOut > 0 && stream.send(JSON.stringify({ left_out: leftOut, position: lastLeftOut }))) leftOut = 0;
    if (leftOut > 0) soon = setTimeout(guarded(log, flush), COLLECT_MS);
  };
  const { from, stop } = instanceLog.follow(component, (lines) => {
    for (const line of lines) {
      if (waiting.length >= MAX_WAITING.lines || characters >= MAX_WAITING.characters) leaveOut([line]);
      else {
        waiting.push(line);
        characters += line.text.length;
      }
    }
    soon ??= setTimeout(guarded(log, flush), COLLECT_MS);
  });
  stream.send(JSON.stringify({ from }));
  await new Promise<void>((done) => {
    const ended = () => done();
    if (stream.signal.aborted) ended();
    stream.signal.addEventListener('abort', guarded(log, ended), { once: true });
  });
  stop();
  clearTimeout(soon);
}

/** Splits lines into messages. */
function* parts(lines: readonly StoredLine[]): Generator<StreamedLine[]> {
  let part: StreamedLine[] = [];
  let characters = 0;
  for (const line of lines) {
    part.push(line);
    characters += line.text.length + 200;
    if (characters < MESSAGE_CHARACTERS) continue;
    yield part;
    part = [];
    characters = 0;
  }
  if (part.length > 0) yield part;
}
