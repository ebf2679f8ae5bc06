import type { ColumnType } from 'kysely';

// Portable columns only, the same on both engines: ids are text, and what these stand for.

export type Json = string;
/** Milliseconds since 1970. */
export type Time = number;
export type Flag = 0 | 1;

/** A status can be read but not written: `transition` is the only way to change one, and the compiler says so. */
export type Status<State> = ColumnType<State, never, never>;
