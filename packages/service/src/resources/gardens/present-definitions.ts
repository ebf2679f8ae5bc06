import type { BackupSettings } from '@hortus/contract/resources/backup-settings';
import type { Inputs } from '@hortus/template/inputs/inputs';
import { pausing } from '../../process/pausing.ts';
import type { Queries } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { connectionNames } from '../connections/public.ts';
import {
  backupSettings,
  bindingsOf,
  type CurrentRow,
  definitionsOf,
  secretContext,
  userSecretsOf,
} from '../definitions/public.ts';
import { deployedRevisions } from '../instances/public.ts';

/** A definition of the account that is not archived. */
export interface PresentDefinition {
  readonly row: CurrentRow;
  readonly inputs: Inputs;
  /** Values of the passwords that were given; empty texts where they were not decrypted. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly backup: BackupSettings;
  /** What its needs are bound to, as a garden writes it. */
  readonly bindings: Readonly<Record<string, string>>;
  /** Whether its current revision is deployed. */
  readonly settled: boolean;
}

/** Far more than the definitions of any garden. */
const MAX = 100_000;

/** Reads all definitions of an account in three queries. `open` decrypts the secrets, to compare them. */
export async function presentDefinitions(
  queries: Queries,
  vault: Pick<Vault, 'decrypt'>,
  accountId: string,
  { open }: { readonly open: boolean },
): Promise<ReadonlyMap<string, PresentDefinition>> {
  const [rows, secretRows, deployed] = await Promise.all([
    definitionsOf(queries, { accountId }).rows(MAX, 0),
    userSecretsOf(queries, accountId),
    deployedRevisions(queries, accountId),
  ]);
  const secretsBy = Map.groupBy(secretRows, ({ definition_id }) => definition_id);
  const ids = rows.flatMap((row) => Object.values(bindingsOf(row)).flatMap(({ connection }) => connection ?? []));
  const names = await connectionNames(queries, accountId, [...new Set(ids)]);
  const present = new Map<string, PresentDefinition>();
  const pause = pausing();
  for (const row of rows) {
    await pause();
    const secrets: Record<string, string> = {};
    for (const { name, ciphertext } of secretsBy.get(row.id) ?? [])
      if (ciphertext !== null)
        secrets[name] = open ? await vault.decrypt(queries, accountId, ciphertext, secretContext(row.id, name)) : '';
    present.set(row.instance_uid, {
      row,
      inputs: JSON.parse(row.inputs),
      secrets,
      backup: backupSettings(row),
      bindings: Object.fromEntries(
        Object.entries(bindingsOf(row)).map(([need, { instance, connection = '' }]) => [
          need,
          instance === undefined ? `connection:${names.get(connection) ?? connection}` : `instance:${instance}`,
        ]),
      ),
      settled: deployed.get(row.id) === row.current_revision,
    });
  }
  return present;
}
