import { setTimeout as sleep } from 'node:timers/promises';
import type { Mask } from '@hortus/template/masking/masking';
import { Backoff } from '../backoff.ts';
import type { Engine } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import type { Log } from '../log.ts';
import type { InstanceLog } from './instance-log.ts';
import { levelOf } from './level.ts';
import { LineAssembler, type RawLine } from './line-assembler.ts';
import { sinceOf, skipStored } from './marks.ts';
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
  /** Hides the secrets of the instance. */
  mask(container: CollectedContainer): Promise<Mask>;
  /** Age of the oldest line to collect. */
  maxAgeMs(container: CollectedContainer): number;
  log: Log;
}

/** Characters of a stored line. */
const LONGEST = 16 * 1024;
const PAUSES = { firstMs: 500, mostMs: 30_000 };
/** Characters of a container id that are stored; enough to be unique. */
const SHORT_ID = 12;
const LINES_AT_ONCE = 500;

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
  while (!signal.aborted) {
    try {
      await pass(container, deps, signal, () => backoff.reset());
      // The engine also ends the stream when it stops itself.
      const facts = await deps.engine.inspect(container.id);
      if (facts === undefined || (facts.state !== 'running' && facts.state !== 'restarting')) return true;
    } catch (error) {
      if (signal.aborted) return true;
      if (isEngineProblem(error, 'not_found')) return true;
      if (isEngineProblem(error, 'unsupported') || isEngineProblem(error, 'invalid')) {
        deps.log.warn('the log of a container cannot be read', { container: container.id, error: error as Error });
        return false;
      }
      deps.log.debug('collecting the log of a container failed; retrying', {
        container: container.id,
        error: error as Error,
      });
    }
    await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
  }
  return true;
}

/** Reads the log once, from the last stored line to the end of the stream. */
async function pass(
  container: CollectedContainer,
  { engine, instanceLog, mask, maxAgeMs }: CollectorDeps,
  signal: AbortSignal,
  progressed: () => void,
): Promise<void> {
  const { id, uid, component, replica } = container;
  const short = id.slice(0, SHORT_ID);
  const log = await instanceLog(uid);
  const marks = await log.marksOf(component, short);
  const isStored = skipStored(marks);
  const oldest = secondsText(Date.now() - maxAgeMs(container));
  const since = sinceOf(marks);
  const hide = await mask(container);
  const assembler = new LineAssembler();
  const store = async (raw: readonly RawLine[]) => {
    const fresh = raw.filter((line) => !isStored(line));
    for (let from = 0; from < fresh.length; from += LINES_AT_ONCE) {
      const lines: CollectedLine[] = [];
      for (const line of fresh.slice(from, from + LINES_AT_ONCE)) lines.push(await stored(line, hide, short, replica));
      await log.append(component, lines);
    }
  };
  for await (const pieces of engine.followLogs(id, since === undefined || since < oldest ? oldest : since, signal)) {
    await store(assembler.add(pieces));
    progressed();
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
  const isLong = masked.length > LONGEST;
  const kept = isLong ? masked.slice(0, LONGEST).toWellFormed() : masked;
  return { at, stream, replica, container, level: levelOf(kept), text: kept, cut: cut || isLong };
}
