import type { Tx } from './storage.ts';

/** Whether statements that are sent before the first is answered travel together. SQLite answers each where it stands. */
export const pipelines = ({ engine }: Pick<Tx, 'engine'>): boolean => engine === 'postgres';
