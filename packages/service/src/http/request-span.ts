import type { IncomingMessage } from 'node:http';
import { type Span, span } from '@hortus/tracing/span';
import type { Exchange } from './exchange.ts';

/** Runs a request in a span. Probes get none: they come every few seconds and say nothing. */
export function inRequestSpan(exchange: Exchange, handle: (exchange: Exchange) => Promise<void>): Promise<void> {
  const { request, route } = exchange;
  if (route?.access.counted === false) return handle(exchange);
  // The path of a request may contain anything; only that of its route is recorded.
  return span(...described(request, route ? (route.path ?? route.name) : undefined), (opened) => {
    exchange.span = opened;
    return handle(exchange);
  });
}

/** Ends the span with the answer: a stream stays open for hours after that. */
export function endRequestSpan({ status, principal, id }: Exchange, opened: Span): void {
  opened.set({
    'http.response.status_code': status,
    'hortus.account_id': principal?.accountId,
    'hortus.request_id': id,
  });
  if (status >= 500) opened.fail(String(status));
  opened.end();
}

/** Records a request that was answered before the router. */
export function recordHotRequest(request: IncomingMessage, path: string, status: number, accountId: string): void {
  span(...described(request, path), (opened) =>
    opened.set({ 'http.response.status_code': status, 'hortus.account_id': accountId }),
  );
}

function described({ method, headers }: IncomingMessage, path: string | undefined) {
  const { traceparent } = headers;
  const options = {
    kind: 'server' as const,
    parent: typeof traceparent === 'string' ? traceparent : null,
    attributes: { 'http.request.method': method, 'http.route': path },
  };
  return [path === undefined ? `${method}` : `${method} ${path}`, options] as const;
}
