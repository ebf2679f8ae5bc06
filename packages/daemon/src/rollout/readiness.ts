import { setTimeout as sleep } from 'node:timers/promises';
import type { ManifestHealthcheck } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { probe } from '../instances/probe.ts';

/** A container did not become ready or a job failed; the message is for the person who deployed. */
export class NotReady extends Error {
  readonly reason: 'unhealthy' | 'exited' | 'job_failed';
  /** The last lines of the container. */
  readonly lastLines: readonly string[];

  constructor(reason: NotReady['reason'], message: string, lastLines?: readonly string[]) {
    super(`${message}${said(lastLines)}`);
    this.reason = reason;
    this.lastLines = lastLines ?? [];
  }
}

/**
 * A container that the engine keeps running was stopped by something else. An engine that is killed and restarted does
 * that to its running containers, and treats it as a deliberate stop.
 */
export class StoppedFromOutside extends NotReady {
  readonly container: string;

  constructor(container: string, message: string, lastLines: readonly string[]) {
    super('exited', message, lastLines);
    this.container = container;
  }
}

/** The engine restarts such containers after they exit by themselves. */
export const isKeptUp = ({ restartPolicy }: ContainerFacts): boolean => /^(always|unless-stopped)$/.test(restartPolicy);

type Watched = Pick<Engine, 'inspect' | 'exec' | 'logs'>;

/** Time that a container without a health check must survive; enough to catch a missing command. */
const settleMs = 30;
/** Interval of checks that the container still runs while its probes fail. */
const pollEveryMs = 100;
/** Lines that are reported, and lines in the message. */
const reportedLines = 30;
const shownLines = 20;

/**
 * Waits until a started container is ready. The daemon probes itself, because the engine's check reports only after a
 * whole interval: at once, then with growing pauses up to the declared interval. Tolerates failures during the start
 * period and for the declared retries after it. A container that exits has failed, whatever its restart policy.
 */
export async function waitReady(
  engine: Watched,
  id: string,
  name: string,
  check: ManifestHealthcheck | undefined,
  signal: AbortSignal,
): Promise<ContainerFacts> {
  if (check === undefined) {
    await sleep(settleMs, undefined, { signal });
    return await running(engine, id, name);
  }
  const begun = performance.now();
  const timeout = check.start_period_ms + check.retries * check.interval_ms + check.timeout_ms;
  let facts = await running(engine, id, name);
  let polled = performance.now();
  for (;;) {
    const result = await probe(engine, facts, check);
    if (result.ok) return facts;
    const now = performance.now();
    if (now - begun >= timeout) {
      const message = `${name} was not healthy within ${timeout} ms: ${result.detail}`;
      throw new NotReady('unhealthy', message, await lastLines(engine, id));
    }
    await sleep(pause(check, now - begun), undefined, { signal });
    if (performance.now() - polled >= pollEveryMs) {
      facts = await running(engine, id, name, facts.restarts);
      polled = performance.now();
    }
  }
}

/**
 * Returns the pause before the next probe as a share of the elapsed time, so that readiness is noticed late by at most
 * that share. Commands cost more than requests and are run less often.
 */
function pause(check: ManifestHealthcheck, elapsed: number): number {
  const [shortest, share] = check.test ? [25, 0.25] : [5, 0.1];
  return Math.max(shortest, Math.min(elapsed * share, check.interval_ms));
}

async function running(engine: Watched, id: string, name: string, restarts = 0): Promise<ContainerFacts> {
  const facts = await engine.inspect(id);
  if (facts === undefined) throw new NotReady('exited', `${name} was removed while it started`);
  if (facts.state === 'running' && facts.restarts <= restarts) return facts;
  const how = facts.outOfMemory ? 'ran out of memory' : `exited with code ${facts.exitCode}`;
  const message = `${name} ${how} right after its start`;
  const lines = await lastLines(engine, id);
  const stopped = facts.state === 'exited' && facts.restarts <= restarts && isKeptUp(facts);
  throw stopped ? new StoppedFromOutside(facts.name, message, lines) : new NotReady('exited', message, lines);
}

export async function lastLines(engine: Pick<Engine, 'logs'>, id: string): Promise<string[]> {
  const text = (await engine.logs(id, { tail: reportedLines }).catch(() => '')).trimEnd();
  return text === '' ? [] : text.split(/\r?\n/);
}

function said(lines: readonly string[] | undefined): string {
  if (lines === undefined) return '';
  return lines.length === 0 ? '; it wrote nothing' : `; its last lines:\n${lines.slice(-shownLines).join('\n')}`;
}
