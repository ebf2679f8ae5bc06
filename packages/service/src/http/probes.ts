import { setTimeout as sleep } from 'node:timers/promises';
import { requirePermission } from '../identity/principal.ts';
import { Problem } from '../problem.ts';
import type { Metrics } from '../process/metrics.ts';
import type { Storage } from '../storage/storage.ts';
import { isLoopbackHost } from './allowed-hosts.ts';
import { isLoopback, plain } from './caller-address.ts';
import type { Exchange } from './exchange.ts';
import type { Access, AccessControl } from './gate.ts';
import type { Router } from './router.ts';

const TIMEOUT_MS = 2_000;
const access: Access = { permission: 'public', counted: false };

/** Adds the endpoints for orchestration: readiness and metrics. */
export function addProbes(
  router: Router,
  parts: { storage: Storage; metrics: Metrics; accessControl: AccessControl },
): void {
  const { storage, metrics, accessControl } = parts;

  router.add('GET', '/ready', {
    name: '/ready',
    access,
    async handle(exchange) {
      if (!(await responds(storage)))
        throw new Problem('SERVER_ERROR', 'The database does not answer.', { reason: 'storage' });
      exchange.json({ success: true, status: 'ready' });
    },
  });

  router.add('GET', '/metrics', {
    name: '/metrics',
    access,
    async handle(exchange) {
      if (!isLocal(exchange)) requirePermission(await accessControl.identify(exchange), 'admin');
      exchange.with({ 'Content-Type': metrics.contentType }).send(await metrics.text());
    },
  });
}

async function responds(storage: Storage): Promise<boolean> {
  const stopWaiting = new AbortController();
  const late = sleep(TIMEOUT_MS, false, { signal: stopWaiting.signal }).catch(() => false);
  const pinged = storage.ping().then(
    () => true,
    () => false,
  );
  const responded = await Promise.race([pinged, late]);
  stopWaiting.abort();
  return responded;
}

/** Excludes forwarded requests: an undeclared proxy on this machine forwards requests from anywhere. */
const isLocal = ({ address, peer, host, headers }: Exchange): boolean =>
  isLoopback(address) &&
  // Excludes pages in a local browser, which send the host name of their origin.
  isLoopbackHost(host) &&
  isLoopback(plain(peer ?? '')) &&
  headers['x-forwarded-for'] === undefined &&
  headers.forwarded === undefined;
