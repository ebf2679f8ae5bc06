import type { Guard } from '../process/guard.ts';
import type { DaemonStreams, WantedStream } from './daemon-streams.ts';

export interface Receiving {
  readonly streams: Pick<DaemonStreams, 'open'>;
  readonly guard: Guard;
  /** Closes the stream when it fires. */
  readonly signal: AbortSignal;
  /** Called for every message; what it throws ends the stream. */
  readonly receive: (data: Buffer) => void;
}

/** Opens a stream to a daemon and resolves when it has ended. Rejects if it cannot be opened or `receive` throws. */
export async function receiveStream(
  wanted: WantedStream,
  { streams, guard, signal, receive }: Receiving,
): Promise<void> {
  const stream = await streams.open(wanted);
  const close = () => stream.close();
  const guardedClose = guard(close);
  signal.addEventListener('abort', guardedClose, { once: true });
  try {
    await new Promise<void>((done, failed) => {
      const ended = () => done();
      stream.signal.addEventListener('abort', guard(ended), { once: true });
      stream.listen((data) => {
        try {
          receive(data);
        } catch (error) {
          failed(error);
        }
      });
      if (signal.aborted || stream.signal.aborted) ended();
    });
  } finally {
    signal.removeEventListener('abort', guardedClose);
    stream.close();
  }
}
