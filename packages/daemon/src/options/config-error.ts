/** A mistake in the operator's settings; the message says how to fix it. */
export class ConfigError extends Error {}
