/** Daemon version, sent to the service and printed by `hortusd version`. */
export const VERSION = '0.1.0';
