import { onTestFinished } from 'vitest';
import type { Bus } from '../../bus/bus.ts';
import { openLocalBus } from '../../bus/local-bus.ts';
import { openPostgresBus } from '../../bus/postgres-bus.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Engine } from '../../testing/engines.ts';
import { Authenticator } from '../authenticator.ts';
import { ensureFirstAccount } from '../first-start.ts';
import { Passwords } from '../passwords.ts';

export const adminKey = `hk_live_${'a'.repeat(43)}`;
export const adminEmail = 'root@example.org';
export const adminPassword = 'correct horse battery';

/** Longer than a session lasts, for tests that do not concern it. */
export const sessionIdleMs = 30 * 24 * 60 * 60_000;

const log = { error: () => {}, warn: () => {} };

export interface Replica {
  readonly storage: Storage;
  readonly bus: Bus;
  readonly authenticator: Authenticator;
  readonly accountId: string;
}

/**
 * Opens two authenticators on one database with the first account. On PostgreSQL they are two replicas with a bus;
 * SQLite belongs to one process, so there they share storage and bus.
 */
export async function twoReplicas(
  engine: Engine,
  clock?: () => number,
  idleMs = sessionIdleMs,
): Promise<readonly [Replica, Replica]> {
  const testDatabase = await engine.testDatabase();
  const hooks = clock ? { clock } : {};
  const first = await testDatabase.open(hooks);
  const made = await ensureFirstAccount({
    storage: first,
    passwords: new Passwords(),
    mode: 'live',
    adminKey,
    adminEmail,
    adminPassword,
  });
  const { accountId } = made as { accountId: string };
  const replica = (storage: Storage, bus: Bus): Replica => ({
    storage,
    bus,
    authenticator: new Authenticator({ storage, bus, mode: 'live', sessionIdleMs: idleMs, ...hooks }),
    accountId,
  });
  const reported = (storage: Storage, bus: Bus) => {
    storage.onCommit((notices) => {
      for (const { topic, message } of notices) bus.publish(topic, message);
    });
    onTestFinished(() => bus.close());
    return bus;
  };
  if (testDatabase.databaseUrl === undefined) {
    const bus = reported(first, openLocalBus({ log }));
    return [replica(first, bus), replica(first, bus)];
  }
  const url = testDatabase.databaseUrl;
  const second = await testDatabase.open(hooks);
  return [
    replica(first, reported(first, await openPostgresBus({ url, replica: 'one', log }))),
    replica(second, reported(second, await openPostgresBus({ url, replica: 'two', log }))),
  ];
}
