import type { SequencedEvent } from './store.ts';

/** Events by which deployments and executions end. One that was cancelled before it began has its event, too. */
const endings: ReadonlySet<string> = new Set([
  'deployment.success',
  'deployment.failed',
  'action.completed',
  'action.failed',
]);

/** The deployments and executions that these events end, and the deployments that they undo: whoever waits may look. */
export function endedIn(events: readonly SequencedEvent[]): string[] {
  return events
    .filter(({ type }) => endings.has(type))
    .flatMap(({ resource_id, data }) => {
      const { rollback_of } = JSON.parse(data) as { rollback_of?: string | null };
      return typeof rollback_of === 'string' ? [resource_id, rollback_of] : [resource_id];
    });
}
