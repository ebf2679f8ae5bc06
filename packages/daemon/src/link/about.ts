import { randomUUID } from 'node:crypto';
import { VERSION } from '@hortus/contract/releases/version';
import type { Engine } from '../engine/engine.ts';
import type { Ingress } from '../ingress/ingress.ts';
import type { Journal } from '../journal/journal.ts';

export interface AboutDeps {
  engine: Engine;
  ingress: Ingress;
  journal: Journal;
}

/** Describes this daemon in its introduction to the service; omits the engine while it is unreachable. */
export async function aboutDaemon({ engine, ingress, journal }: AboutDeps): Promise<Record<string, unknown>> {
  const info = await engine.info().catch(() => undefined);
  return {
    journal: journal.pins.pin('journal', randomUUID()),
    ingress: await ingress.about(),
    ...(ingress.ports && { ingress_ports: ingress.ports }),
    sealing_key: journal.keyPair.publicKey,
    version: VERSION,
    os: process.platform,
    arch: process.arch,
    ...(info && { engine: `${info.name} ${info.version}` }),
  };
}
