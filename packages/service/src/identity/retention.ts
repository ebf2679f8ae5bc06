import { removalOfOldest } from '../storage/remove-oldest.ts';

export const removeSessions = removalOfOldest('sessions', { by: 'expires_at' });
