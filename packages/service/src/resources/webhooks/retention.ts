import { sql } from 'kysely';
import { removalOfOldest } from '../../storage/remove-oldest.ts';

/** Pending deliveries expire on their own. */
export const removeDeliveries = removalOfOldest('deliveries', { by: 'created_at', only: sql`status <> 'pending'` });
