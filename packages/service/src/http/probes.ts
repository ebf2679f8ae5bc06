import { setTimeout as sleep } from 'node:timers/promises';
import { requirePermission } from '../identity/principal.ts';
import type { Metrics } from '../metrics.ts';
import { Problem } from '../problem.ts';
import type { Storage } from '../storage/storage.ts';
import { isLoopbackHost } from './allowed-hosts.ts';
import { isLoopback, plain } from './caller-address.ts';
import type { Exchange } from './exchange.ts';
import type { Access, Gate } from './gate.ts';
import type { Router } from './router.ts';

const PATIENCE_MS = 2_000;
const access: Access = { permission: 'public', counted: false };

/** Adds the endpoints for orchestration: readiness and metrics. */
export function addProbes(router: Router, parts: { storage: Storage; metrics: Metrics; gate: Gate }): void {
  const { storage, metrics, gate } = parts;

  router.add('GET', '/ready', {
    name: '/ready',
    access,
    async answer(exchange) {
      if (!(await answers(storage)))
        throw new Problem('SERVER_ERROR', 'The database does not answer.', { reason: 'storage' });
      exchange.json({ success: true, status: 'ready' });
    },
  });

  router.add('GET', '/metrics', {
    name: '/metrics',
    access,
    async answer(exchange) {
      if (!isLocal(exchange)) requirePermission(await gate.identify(exchange), 'admin');
      exchange.with({ 'Content-Type': metrics.contentType }).send(await metrics.text());
    },
  });
}

async function answers(storage: Storage): Promise<boolean> {
  const impatience = new AbortController();
  const late = sleep(PATIENCE_MS, false, { signal: impatience.signal }).catch(() => false);
  const pinged = storage.ping().then(
    () => true,
    () => false,
  );
  const answered = await Promise.race([pinged, late]);
  impatience.abort();
  return answered;
}

/** Excludes forwarded requests: an undeclared proxy on this machine forwards requests from anywhere. */
const isLocal = ({ address, peer, host, headers }: Exchange): boolean =>
  isLoopback(address) &&
  // Excludes pages in a local browser, which send the host name of their origin.
  isLoopbackHost(host) &&
  isLoopback(plain(peer ?? '')) &&
  headers['x-forwarded-for'] === undefined &&
  headers.forwarded === undefined;
