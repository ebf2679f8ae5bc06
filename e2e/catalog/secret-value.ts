import { cpSync } from 'node:fs';
import { openSqlite } from '@hortus/service/storage/sqlite/open';
import { openVault } from '@hortus/service/vault/vault';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect } from 'vitest';
import type { Installation } from '../docker/installation.ts';

/**
 * Decrypts a secret of an instance with the service's master key, for signing in to an application. Works on a copy, because the
 * running service owns its database.
 */
export async function secretValue({ directory }: Installation, uid: string, name: string): Promise<string> {
  await using copy = temporaryFolder('secret');
  cpSync(directory, copy.path, { recursive: true });
  const storage = await openSqlite(copy.path);
  try {
    const vault = await openVault(storage, { masterKey: undefined, dataDirectory: copy.path });
    const row = await storage.reader.db
      .selectFrom('definition_secrets')
      .innerJoin('definitions', 'definitions.id', 'definition_secrets.definition_id')
      .select(['account_id', 'definition_id', 'ciphertext'])
      .where('definitions.instance_uid', '=', uid)
      .where('definition_secrets.name', '=', name)
      .executeTakeFirst();
    if (!row?.ciphertext) return expect.fail(`${uid} has no secret ${name}`);
    const bound = `definition/${row.definition_id}/${name}`;
    return await vault.decrypt(storage.reader, row.account_id, row.ciphertext, bound);
  } finally {
    await storage.close();
  }
}
