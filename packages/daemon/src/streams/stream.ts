/** A connection to the service for one stream, as its server sees it. */
export interface Stream {
  /** Fires when the connection has ended. */
  readonly signal: AbortSignal;
  /** Returns false, and sends nothing, while the service does not read. */
  send(data: string | Buffer): boolean;
  /** Resolves when the service has read enough, or the connection has ended. */
  drained(): Promise<void>;
  /** Passes every message of the service to the listener, in order; called once. */
  listen(receive: (data: Buffer, isBinary: boolean) => void): void;
  /** Closes after everything is sent. */
  close(): void;
}

/** What the service asked for when it opened a stream. */
export interface StreamOpening {
  readonly instance: string;
  /** Throws unless the service signed this message, the first one, for this stream. */
  requireSigned(order: unknown): void;
}

/** Serves one stream until it ends. */
export type ServeStream = (stream: Stream, opening: StreamOpening) => Promise<void>;
