import { sql } from 'kysely';
import { removalOfOldest } from '../storage/remove-oldest.ts';
import { lastReported } from './store.ts';

/** Events that were not dispatched yet stay. */
export const removeEvents = removalOfOldest('events', { by: 'created_at', only: sql`seq <= ${lastReported}` });
