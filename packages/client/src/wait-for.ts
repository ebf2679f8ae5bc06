import type { EndpointName } from '@hortus/contract/endpoints';
import { backoffMs } from '@hortus/contract/runtime/backoff';
import { Changes } from './changes.ts';
import type { Calls, Client, FileName, Responses } from './client.ts';
import { sleep } from './retry.ts';

export interface WaitOptions<Result> {
  /** Tells whether the answer is the one to wait for. */
  readonly until: (response: Result) => boolean;
  /** Id of the resource whose events announce a change: that of the record. */
  readonly resourceId: string;
  readonly signal?: AbortSignal | undefined;
}

/** Pauses between two reads without a stream; they grow. */
const POLLING = { firstMs: 400, maxMs: 5_000 };
/** Pause between two reads with a stream, in case an event does not announce what is waited for. */
const LIVE_MS = 15_000;

/**
 * Reads a record until it is as wanted and returns the answer. The event stream tells when to read again; without one,
 * it polls. Throws the reason of `signal`, which is also how to limit the time: `AbortSignal.timeout(60_000)`.
 */
export async function waitFor<Name extends Exclude<EndpointName, FileName>>(
  client: Client,
  name: Name,
  call: Calls[Name],
  { until, resourceId, signal }: WaitOptions<Responses[Name]>,
): Promise<Responses[Name]> {
  const changes = new Changes(client, resourceId);
  const untyped = client.call as (name: Name, call: object) => Promise<Responses[Name]>;
  // Not `using`: some browsers have no Symbol.dispose yet.
  try {
    for (let reads = 1; ; reads++) {
      const response = await untyped(name, { ...call, ...(signal && { signal }) });
      if (until(response)) return response;
      const ms = changes.isLive ? LIVE_MS : backoffMs(reads, POLLING);
      await changes.next((over) => sleep(ms, signal ? AbortSignal.any([signal, over]) : over));
    }
  } finally {
    changes.close();
  }
}
