import { setTimeout as sleep } from 'node:timers/promises';
import type { Mask } from '@hortus/template/masking/masking';
import type { Turns } from '@hortus/template/masking/turns';
import { Backoff } from '../concurrency/backoff.ts';
import type { Engine } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import type { Log } from '../log.ts';
import type { InstanceLog } from './instance-log.ts';
import { levelOf } from './level.ts';
import { LineAssembler, type RawLine } from './line-assembler.ts';
import { sinceOf, skipStored } from './marks.ts';
import { MeasuredTurns } from './measured-turns.ts';
import { type ContainerBudget, costOf } from './output-budget.ts';
import { type CollectedLine, secondsText } from './stored-line.ts';

export interface CollectedContainer {
  id: string;
  uid: string;
  component: string;
  replica: number;
}

export interface CollectorDeps {
  engine: Pick<Engine, 'followLogs' | 'inspect'>;
  instanceLog(uid: string): Promise<InstanceLog>;
  /** Hides the secrets of the instance; pauses for other work by `turns`. */
  mask(container: CollectedContainer, turns: Turns): Promise<Mask>;
  /** Age of the oldest line to collect. */
  maxAgeMs(container: CollectedContainer): number;
  /** What reading this container may cost. */
  budget: ContainerBudget;
  /** Shared by all containers, so that their lines together never hold the event loop. */
  turns: Turns;
  log: Log;
}

/** Characters of a stored line. */
const MAX_LENGTH = 16 * 1024;
const PAUSES = { firstMs: 500, maxMs: 30_000 };
/** Characters of a container id that are stored; enough to be unique. */
const SHORT_ID = 12;
const LINES_AT_ONCE = 250;
/** Between two notes about a container that writes more than its share. */
const NOTE_EVERY_MS = 3_600_000;

/**
 * Stores the output of a container until it has stopped. Starts after the last stored line, so that a restart of the
 * daemon or the engine neither loses a line nor stores one twice. Resolves with false if the log cannot be read at all.
 */
export async function collect(
  container: CollectedContainer,
  deps: CollectorDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const backoff = new Backoff(PAUSES);
  const note = noteAbout(container, deps.log);
  while (!signal.aborted) {
    try {
      await pass(container, deps, signal, { progressed: () => backoff.reset(), delayed: note });
      // The engine also ends the stream when it stops itself.
      const facts = await deps.engine.inspect(container.id);
      if (facts === undefined || (facts.state !== 'running' && facts.state !== 'restarting')) return true;
    } catch (error) {
      if (signal.aborted) return true;
      if (isEngineProblem(error, 'not_found')) return true;
      if (isEngineProblem(error, 'unsupported') || isEngineProblem(error, 'invalid')) {
        deps.log.warn({ container: container.id, err: error }, 'the log of a container cannot be read');
        return false;
      }
      deps.log.debug(
        {
          container: container.id,
          err: error,
        },
        'collecting the log of a container failed; retrying',
      );
    }
    await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
  }
  return true;
}

/** Notes that a container writes more than its share, but not with every line. */
function noteAbout({ id, uid, component }: CollectedContainer, log: Log): () => void {
  let next = 0;
  return () => {
    if (performance.now() < next) return;
    next = performance.now() + NOTE_EVERY_MS;
    const facts = { container: id, instance: uid, component };
    log.warn(facts, 'a container writes more output than its share; it is stored later, as far as the engine keeps it');
  };
}

/** Reads the log once, from the last stored line to the end of the stream. */
async function pass(
  container: CollectedContainer,
  { engine, instanceLog, mask, maxAgeMs, budget, turns: shared }: CollectorDeps,
  signal: AbortSignal,
  { progressed, delayed }: { progressed(): void; delayed(): void },
): Promise<void> {
  const { id, uid, component, replica } = container;
  const short = id.slice(0, SHORT_ID);
  const log = await instanceLog(uid);
  const marks = await log.marksOf(component, short);
  const isStored = skipStored(marks);
  const oldest = secondsText(Date.now() - maxAgeMs(container));
  const since = sinceOf(marks);
  const turns = new MeasuredTurns(shared);
  const hide = await mask(container, turns);
  const assembler = new LineAssembler();
  const store = async (raw: readonly RawLine[]) => {
    const fresh = raw.filter((line) => !isStored(line));
    for (let from = 0; from < fresh.length; from += LINES_AT_ONCE) {
      if (turns.isOver()) await turns.next();
      const lines: CollectedLine[] = [];
      await turns.measure(async () => {
        for (const line of fresh.slice(from, from + LINES_AT_ONCE))
          lines.push(await stored(line, hide, short, replica));
      });
      await log.append(component, lines);
    }
  };
  const begin = since === undefined || since < oldest ? oldest : since;
  for await (const { pieces, bytes } of engine.followLogs(id, begin, signal)) {
    await store(assembler.add(pieces));
    progressed();
    const cost = costOf({ bytes, lines: pieces.length, busyMs: turns.takeBusyMs() });
    if (!(await budget.pay(cost, signal))) delayed();
  }
  await store(assembler.rest());
}

/** Masks before it cuts: a secret that crosses the end would otherwise stay visible in part. */
async function stored(
  { at, stream, text, cut }: RawLine,
  hide: Mask,
  container: string,
  replica: number,
): Promise<CollectedLine> {
  const masked = await hide(text);
  const isLong = masked.length > MAX_LENGTH;
  const kept = isLong ? masked.slice(0, MAX_LENGTH).toWellFormed() : masked;
  return { at, stream, replica, container, level: levelOf(kept), text: kept, cut: cut || isLong };
}
