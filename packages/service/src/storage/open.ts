import { openPostgres } from './postgres/open.ts';
import { openSqlite } from './sqlite/open.ts';
import type { Storage, StorageHooks } from './storage.ts';

export interface StorageSettings {
  /** PostgreSQL when it is given, the embedded database otherwise. */
  readonly databaseUrl: string | undefined;
  readonly dataDirectory: string;
}

export const openStorage = (settings: StorageSettings, hooks: StorageHooks = {}): Promise<Storage> =>
  settings.databaseUrl ? openPostgres({ url: settings.databaseUrl }, hooks) : openSqlite(settings.dataDirectory, hooks);
