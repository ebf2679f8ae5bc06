// Limits and marks of the bytes of a shell, apart from its schemas, so that clients need no TypeBox.

/**
 * Bytes that may be on their way in one direction. The receiver confirms with `ack` what it has passed on; the sender waits
 * before it exceeds the window. A slow terminal or command therefore stops the other side, and nothing is dropped or queued.
 */
export const SHELL_WINDOW_BYTES = 256 * 1024;
/** Bytes of one binary message, without the leading byte of a session without a terminal. */
export const SHELL_PIECE_BYTES = 32 * 1024;
/** Bytes of one message of either kind. */
export const SHELL_MESSAGE_BYTES = 64 * 1024;

/** First byte of each binary message to the client, in a session without a terminal. */
export const shellOutput = { stdout: 1, stderr: 2 } as const;

/** Subprotocol that the console offers beside the one with its page token. Programs with a key need none. */
export const shellProtocol = 'hortus.shell';
