import { type AddressChange, secretsAgain } from '@hortus/contract/runtime/secrets-again';
import { conflict } from '../problem.ts';

/**
 * Throws if a request changes an address and leaves out a stored secret; used for every record that has both. `fieldOf`
 * returns the path of a field in the request, `hint` names another way.
 */
export function requireSecretsAgain(
  change: AddressChange,
  { fieldOf = (name) => name, hint = '' }: { readonly fieldOf?: (name: string) => string; readonly hint?: string } = {},
): void {
  const missing = secretsAgain(change);
  const [first] = missing;
  if (first === undefined) return;
  const changed = change.changed.map(fieldOf);
  throw conflict(
    fieldOf(first),
    'secret_required',
    `must be given again, because ${changed.join(', ')} changes where it is sent${hint}.`,
    { secrets: missing.map(fieldOf), changed },
  );
}
