import type { Tx } from './storage.ts';

/** Tells whether statements that are not awaited one by one are sent together. SQLite executes each at once. */
export const pipelines = ({ engine }: Pick<Tx, 'engine'>): boolean => engine === 'postgres';
