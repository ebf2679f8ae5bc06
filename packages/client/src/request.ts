import type { Endpoint } from '@hortus/contract/endpoint';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';

export interface Parts {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  /** ETag of the state that the change is for; the service refuses it for another one. */
  readonly ifMatch?: string | undefined;
}

/** Builds the URL of a call. Path parameters cannot escape their segment: '.' and '..' are rejected, '/' is encoded. */
export function addressOf(baseUrl: string, row: Endpoint, parts: Parts): string {
  const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(parts.params?.[name] ?? '');
    if (value === '' || value === '.' || value === '..') throw new TypeError(`${row.path} needs a ${name}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts.query ?? {})) {
    if (value !== undefined && value !== null) query.append(name, String(value));
  }
  const search = query.toString();
  return `${withoutTrailing(baseUrl, '/')}${path}${search ? `?${search}` : ''}`;
}

export function requestOf(row: Endpoint, parts: Parts, key: string | undefined): RequestInit & { method: string } {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (key !== undefined) headers.authorization = `Bearer ${key}`;
  if (row.idempotent) headers['idempotency-key'] = parts.idempotencyKey ?? crypto.randomUUID();
  if (parts.ifMatch !== undefined) headers['if-match'] = parts.ifMatch;
  if (parts.body === undefined) return { method: row.method, headers };
  headers['content-type'] = 'application/json';
  return { method: row.method, headers, body: JSON.stringify(parts.body) };
}
