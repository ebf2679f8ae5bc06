import { sql } from 'kysely';
import { removalOfOldest } from '../../../storage/remove-oldest.ts';

/** Open alerts stay, however old they are. */
export const removeAlerts = removalOfOldest('alerts', { by: 'resolved_at', only: sql`status = 'resolved'` });
