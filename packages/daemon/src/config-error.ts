/** A mistake of the person who started the daemon; the message says what would be right. */
export class ConfigError extends Error {}
