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

/** What the machinery around the service asks: may it be given requests, and how is it doing. */
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

/** A proxy that we were not told about sits on this machine too, and speaks for the whole world. */
const isLocal = ({ address, peer, host, headers }: Exchange): boolean =>
  isLoopback(address) &&
  // A page that a browser on this machine shows can ask too, but only under the name that it came from.
  isLoopbackHost(host) &&
  isLoopback(plain(peer ?? '')) &&
  headers['x-forwarded-for'] === undefined &&
  headers.forwarded === undefined;
