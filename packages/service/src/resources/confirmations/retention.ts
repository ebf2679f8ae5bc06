import { removalOfOldest } from '../../storage/remove-oldest.ts';

/** The events of a confirmation tell what it was about. */
export const removeConfirmations = removalOfOldest('confirmations', { by: 'created_at' });
