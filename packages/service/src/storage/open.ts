import { isTracing } from '@hortus/tracing/span';
import type { Storage, StorageHooks } from './storage.ts';
import { withSpans } from './with-spans.ts';

export interface StorageSettings {
  /** PostgreSQL if given, otherwise the embedded database. */
  readonly databaseUrl: string | undefined;
  readonly dataDirectory: string;
  readonly databaseReads: 'primary' | 'standby';
}

export async function openStorage(settings: StorageSettings, hooks: StorageHooks = {}): Promise<Storage> {
  const storage = await openEngine(settings, hooks);
  return isTracing() ? withSpans(storage) : storage;
}

/** Loads only the engine that is used. */
async function openEngine(settings: StorageSettings, hooks: StorageHooks): Promise<Storage> {
  if (settings.databaseUrl === undefined) {
    const { openSqlite } = await import('./sqlite/open.ts');
    return await openSqlite(settings.dataDirectory, hooks);
  }
  const { openPostgres } = await import('./postgres/open.ts');
  return await openPostgres({ url: settings.databaseUrl, reads: settings.databaseReads }, hooks);
}
