import type { Tx } from '../storage/storage.ts';
import { dataOf, type SequencedEvent } from './store.ts';

/** Events with which deployments and executions end, including those cancelled before they started. */
const endings: ReadonlySet<string> = new Set([
  'deployment.success',
  'deployment.failed',
  'action.completed',
  'action.failed',
]);

/** Returns the deployments and executions that these events end, and the deployments that they roll back. */
export async function endedIn(tx: Tx, events: readonly SequencedEvent[]): Promise<string[]> {
  const ended = events.filter(({ type }) => endings.has(type));
  if (ended.length === 0) return [];
  return (await dataOf(tx, ended)).flatMap(({ resource_id, data }) => {
    const { rollback_of } = JSON.parse(data) as { rollback_of?: string | null };
    return typeof rollback_of === 'string' ? [resource_id, rollback_of] : [resource_id];
  });
}
