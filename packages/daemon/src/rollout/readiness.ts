import { setTimeout as sleep } from 'node:timers/promises';
import type { ManifestHealthcheck } from '@hortus/contract/template/manifest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { probe } from './probe.ts';

/** A container did not become ready, or a job failed; the message is for the person who deployed. */
export class NotReady extends Error {
  readonly reason: 'unhealthy' | 'exited' | 'job_failed';

  constructor(reason: NotReady['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

type Watched = Pick<Engine, 'inspect' | 'exec' | 'logs'>;

/** Without a check the container must outlive this: long enough to catch a command that does not exist. */
const settleMs = 30;
/** How often it is looked at whether the container still runs, while probes fail. */
const lookEveryMs = 100;
const shownLogLines = 20;

/**
 * Waits until a container that was just started is ready. The engine's own check would show it only after a whole interval, so
 * the daemon probes itself: at once, then ever more slowly, up to the declared interval. Failures are forgiven during the start
 * period, and after it for as long as the declared retries take. A container that ends meanwhile has failed, whatever its
 * restart policy will make of it.
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
  const patience = check.start_period_ms + check.retries * check.interval_ms + check.timeout_ms;
  let facts = await running(engine, id, name);
  let looked = performance.now();
  for (;;) {
    const result = await probe(engine, facts, check);
    if (result.ok) return facts;
    const now = performance.now();
    if (now - begun >= patience) {
      const lines = await lastLines(engine, id);
      throw new NotReady('unhealthy', `${name} was not healthy within ${patience} ms: ${result.detail}${lines}`);
    }
    await sleep(pause(check, now - begun), undefined, { signal });
    if (performance.now() - looked >= lookEveryMs) {
      facts = await running(engine, id, name, facts.restarts);
      looked = performance.now();
    }
  }
}

/** A share of the time waited so far: readiness is noticed late by that share at most. A command costs more than a request. */
function pause(check: ManifestHealthcheck, elapsed: number): number {
  const [shortest, share] = check.test ? [25, 0.25] : [5, 0.1];
  return Math.max(shortest, Math.min(elapsed * share, check.interval_ms));
}

async function running(engine: Watched, id: string, name: string, restarts = 0): Promise<ContainerFacts> {
  const facts = await engine.inspect(id);
  if (facts === undefined) throw new NotReady('exited', `${name} was removed by somebody while it started`);
  if (facts.state === 'running' && facts.restarts <= restarts) return facts;
  const how = facts.outOfMemory ? 'ran out of memory' : `ended with exit code ${facts.exitCode}`;
  throw new NotReady('exited', `${name} ${how} right after its start${await lastLines(engine, id)}`);
}

export async function lastLines(engine: Pick<Engine, 'logs'>, id: string): Promise<string> {
  const text = await engine.logs(id, { tail: shownLogLines }).catch(() => '');
  return text.trim() === '' ? '; it wrote nothing' : `; its last lines:\n${text.trimEnd()}`;
}
