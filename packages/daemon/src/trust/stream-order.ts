import type { KeyObject } from 'node:crypto';
import type { StreamOrderProof } from '@hortus/contract/channel/streams';
import { isMapping } from '@hortus/template/schema/schema-check';
import { isSignedBy } from './manifest-signature.ts';

export interface StreamOrderExpectation {
  /** Public key of the service; while none is pinned, every order is refused. */
  readonly key: KeyObject | undefined;
  readonly serverId: string | undefined;
  readonly streamId: string;
  readonly kind: string;
}

/**
 * Throws unless the service signed the first message of a stream for this stream. The opening of a stream is taken once, so
 * its order cannot be used for another one.
 */
export function requireStreamOrder(order: unknown, expected: StreamOrderExpectation): void {
  const { key, serverId, streamId, kind } = expected;
  if (key === undefined || !isMapping(order) || !isSignedBy(key, order as unknown as StreamOrderProof))
    throw new Error('the order of the stream is not signed by the service; an older service must be updated');
  const { type, kind: ordered, server_id, stream_id } = order;
  if (type !== 'stream_order' || ordered !== kind || server_id !== serverId || stream_id !== streamId)
    throw new Error('the order was signed for another stream');
}
