import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { containersOf, handlesOf } from '../instances/instance-containers.ts';
import type { PauseRecords } from '../journal/pauses.ts';
import { label } from '../plan/labels.ts';

export interface PauseDeps {
  engine: Engine;
  pauses: PauseRecords;
}

export interface Pause {
  instanceUid: string;
  /** Components in start order: dependencies first. */
  order: readonly string[];
}

/**
 * Stops the running containers of an instance during `work` and always starts them again. Recorded before the first
 * stop, so that a killed daemon starts them at its next start, or the next leader of its cluster.
 */
export async function whilePaused<Result>(
  { engine, pauses }: PauseDeps,
  { instanceUid, order }: Pause,
  work: () => Promise<Result>,
): Promise<{ result: Result; stoppedMs: number }> {
  const place = ({ labels }: ContainerFacts) => order.indexOf(labels[label.component] ?? '');
  const running = handlesOf(
    (await containersOf(engine, instanceUid))
      .filter(({ state }) => state === 'running' || state === 'restarting')
      .sort((a, b) => place(a) - place(b)),
  );
  const began = performance.now();
  await pauses.begin({ instanceUid, containers: running.map(({ id }) => id) });
  let result: Result;
  try {
    for (const { id, stopGraceMs } of running.toReversed()) await engine.stop(id, stopGraceMs);
    result = await work();
  } finally {
    await startAgain(
      { engine, pauses },
      instanceUid,
      running.map(({ id }) => id),
    );
  }
  return { result, stoppedMs: running.length === 0 ? 0 : Math.round(performance.now() - began) };
}

/** Starts what a killed daemon had stopped. */
export async function endLeftoverPauses(deps: PauseDeps): Promise<void> {
  for (const { instanceUid, containers } of await deps.pauses.all()) await startAgain(deps, instanceUid, containers);
}

/** Tries all containers; skips those that were removed. */
async function startAgain({ engine, pauses }: PauseDeps, instanceUid: string, ids: readonly string[]): Promise<void> {
  const failures: unknown[] = [];
  for (const id of ids) {
    if ((await engine.inspect(id)) === undefined) continue;
    await engine.start(id).catch((error) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
  await pauses.end(instanceUid);
}
