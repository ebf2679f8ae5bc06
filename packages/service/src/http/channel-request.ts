import type { IncomingMessage } from 'node:http';
import { channelPaths } from '@hortus/contract/channel';
import { transferPath } from '@hortus/contract/transfer';
import { pathOf } from './exchange.ts';

const paths: ReadonlySet<string> = new Set([...channelPaths, transferPath]);

/**
 * The only upgrades there are: the daemon channel, and the ends of transfers. Whatever else offers one is answered as the request that it also is: many clients offer
 * HTTP/2 with every request, and a WebSocket to another path gets the 404 of that path.
 */
export const asksForChannel = ({ method, headers, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && paths.has(pathOf(url));
