/** Version of the command line client, printed by `hortus version`. */
export const VERSION = '0.1.0';
/** Date of that version, for the manual page. */
export const RELEASED = '2026-11-17';
