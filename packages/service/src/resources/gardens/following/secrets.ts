import { randomBytes } from 'node:crypto';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { RepositoryFiles } from '../git/read-repository.ts';
import { sealingContext } from './moving.ts';
import { type CommitRow, contentsOf, type SourceRow } from './store.ts';

type Encrypting = Pick<Vault, 'encrypt'>;
type Decrypting = Pick<Vault, 'decrypt'>;
type Place = Pick<SourceRow, 'garden_id' | 'account_id'>;

const placeOf = (gardenId: string, name: 'token' | 'secret'): string => `garden source/${gardenId}/${name}`;

export const newSecret = (): string => randomBytes(32).toString('base64url');

export const seal = (vault: Encrypting, tx: Tx, of: Place, name: 'token' | 'secret', value: string): Promise<string> =>
  vault.encrypt(tx, of.account_id, value, placeOf(of.garden_id, name));

export const openToken = async (vault: Decrypting, queries: Queries, source: SourceRow): Promise<string | undefined> =>
  source.token === null
    ? undefined
    : vault.decrypt(queries, source.account_id, source.token, placeOf(source.garden_id, 'token'));

export const openSecret = (vault: Decrypting, queries: Queries, source: SourceRow): Promise<string> =>
  vault.decrypt(queries, source.account_id, source.secret, placeOf(source.garden_id, 'secret'));

export const sealFiles = (
  vault: Encrypting,
  tx: Tx,
  accountId: string,
  commitId: string,
  files: RepositoryFiles,
): Promise<string> => vault.encrypt(tx, accountId, JSON.stringify(files), sealingContext(commitId));

/** Undefined if the files of the commit are not kept any more. */
export async function openFiles(
  vault: Decrypting,
  queries: Queries,
  { id, account_id }: CommitRow,
): Promise<RepositoryFiles | undefined> {
  const { files = '' } = (await contentsOf(queries, id)) ?? {};
  return files === '' ? undefined : JSON.parse(await vault.decrypt(queries, account_id, files, sealingContext(id)));
}
