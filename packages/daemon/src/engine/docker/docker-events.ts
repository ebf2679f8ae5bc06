import type { ContainerEvent, EventFilter } from '../engine.ts';
import { EngineProblem } from '../engine-problem.ts';
import type { DockerApi } from './docker-api.ts';
import { jsonLines } from './json-lines.ts';
import { wantedEvents } from './wanted-events.ts';

interface EventLine {
  Action: string;
  Actor: { ID: string; Attributes?: Record<string, string> | null };
  timeNano: number;
}

/**
 * Follows container events. Rejects if the stream ends without the signal; the caller must then read the state and
 * follow again.
 */
export async function followEvents(
  api: DockerApi,
  { labels, since }: EventFilter,
  on: (event: ContainerEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const operation = 'follow container events';
  const label = Object.entries(labels).map(([key, value]) => (value === true ? key : `${key}=${value}`));
  try {
    const stream = await api.stream(
      {
        operation,
        method: 'GET',
        path: '/events',
        query: {
          filters: JSON.stringify({ type: ['container'], label }),
          ...(since !== undefined && { since: (since / 1_000).toFixed(3) }),
        },
        timeout: api.timeouts.quick,
        signal,
      },
      { mayBeSilent: true },
    );
    for await (const { Action, Actor, timeNano } of jsonLines<EventLine>(stream, wantedEvents())) {
      on({ action: Action, id: Actor.ID, at: Math.floor(timeNano / 1e6), attributes: Actor.Attributes ?? {} });
    }
  } catch (error) {
    if (signal.aborted) return;
    // The engine may be upgraded when it is back.
    api.forget();
    throw error;
  }
  if (signal.aborted) return;
  api.forget();
  throw new EngineProblem({ operation, kind: 'unreachable', detail: 'the engine ended the stream' });
}
