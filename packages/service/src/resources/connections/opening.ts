import { isSecretAttribute } from '@hortus/contract/resources/connection-classes';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { derivedAttributes } from './attributes.ts';
import { attributesOf, findConnection } from './store.ts';

/** Binds a value to its connection and name: moved to another, it does not decrypt. */
const place = (connectionId: string, name: string): string => `connection/${connectionId}/${name}`;

export const sealAttribute = (
  tx: Tx,
  vault: Pick<Vault, 'encrypt'>,
  connection: { readonly accountId: string; readonly id: string },
  name: string,
  value: string,
): Promise<string> => vault.encrypt(tx, connection.accountId, value, place(connection.id, name));

interface OpenedAttribute {
  readonly value: string;
  readonly secret: boolean;
  readonly updatedAt: number;
}

/** A connection with secret values, for the manifests of definitions; never shown. */
export interface OpenedConnection {
  readonly name: string;
  readonly class: string;
  readonly attributes: Readonly<Record<string, OpenedAttribute>>;
}

export async function openConnection(
  queries: Queries,
  vault: Pick<Vault, 'decrypt'>,
  accountId: string,
  id: string,
): Promise<OpenedConnection | undefined> {
  const row = await findConnection(queries, accountId, id);
  if (!row) return undefined;
  const attributes: Record<string, OpenedAttribute> = {};
  for (const { name, value, ciphertext, updated_at } of await attributesOf(queries, [id])) {
    const opened = ciphertext === null ? value : await vault.decrypt(queries, accountId, ciphertext, place(id, name));
    if (opened !== null) attributes[name] = { value: opened, secret: ciphertext !== null, updatedAt: updated_at };
  }
  const values = Object.fromEntries(Object.entries(attributes).map(([name, { value }]) => [name, value]));
  const updatedAt = Math.max(0, ...Object.values(attributes).map((attribute) => attribute.updatedAt));
  for (const [name, value] of Object.entries(derivedAttributes(row.class, values)))
    attributes[name] ??= { value, secret: isSecretAttribute(row.class, name), updatedAt };
  return { name: row.name, class: row.class, attributes };
}
