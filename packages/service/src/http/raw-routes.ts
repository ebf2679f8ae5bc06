import type { IncomingHttpHeaders } from 'node:http';
import { BASE_PATH } from './api-routes.ts';
import type { Exchange } from './exchange.ts';
import type { Router } from './router.ts';

/**
 * A route that is no row of the contract: senders choose the shape of its body and sign the raw bytes, so it needs no
 * key. Counted for the address of the sender.
 */
export interface RawRoute {
  readonly name: string;
  /** Relative to the base address. */
  readonly path: string;
  readonly bodyLimit: number;
  /** Throws unless the sender has proved who it is. */
  receive(params: Readonly<Record<string, string>>, headers: IncomingHttpHeaders, body: Buffer): Promise<void>;
}

export function addRawRoutes(router: Router, routes: readonly RawRoute[]): void {
  for (const { name, path, bodyLimit, receive } of routes)
    router.add('POST', BASE_PATH + path, {
      name,
      path: BASE_PATH + path,
      access: { permission: 'public', counted: true },
      rawBody: bodyLimit,
      handle: async (exchange: Exchange) => {
        const { params, headers, body } = exchange;
        await receive(params, headers, body as Buffer);
        exchange.status = 202;
        exchange.json({ success: true, data: {} });
      },
    });
}
