import type { ColumnType } from 'kysely';

// Portable column types, the same on both engines; ids are text.

export type Json = string;
/** Milliseconds since 1970. */
export type Time = number;
export type Flag = 0 | 1;

/** A status can be read but not written: only `transition` changes it, which the compiler enforces. */
export type Status<State> = ColumnType<State, never, never>;
