import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requirePermission } from '../identity/principal.ts';
import type { Metrics } from '../metrics.ts';
import { Problem } from '../problem.ts';
import type { Storage } from '../storage/storage.ts';
import { isLoopback } from './caller-address.ts';
import type { Access, Gate } from './gate.ts';

const PATIENCE_MS = 2_000;
const access: Access = { permission: 'public', counted: false };

/** What the machinery around the service asks: may it be given requests, and how is it doing. */
export function addProbes(app: FastifyInstance, parts: { storage: Storage; metrics: Metrics; gate: Gate }): void {
  const { storage, metrics, gate } = parts;

  app.get('/ready', { config: { name: '/ready', access } }, async () => {
    if (!(await answers(storage)))
      throw new Problem('SERVER_ERROR', 'The database does not answer.', { reason: 'storage' });
    return { success: true, status: 'ready' };
  });

  app.get('/metrics', { config: { name: '/metrics', access } }, async (request, reply) => {
    if (!isLocal(request)) requirePermission(await gate.identify(request), 'admin');
    return reply.header('Content-Type', metrics.contentType).send(await metrics.text());
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
const isLocal = (request: FastifyRequest): boolean =>
  isLoopback(request.address) &&
  isLoopback(request.socket.remoteAddress?.replace('::ffff:', '') ?? '') &&
  request.headers['x-forwarded-for'] === undefined &&
  request.headers.forwarded === undefined;
