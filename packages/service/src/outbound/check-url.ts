import { invalid } from '../problem.ts';
import { type AddressGuard, AddressRefused } from './address-guard.ts';

/** Throws if an address from a user may not be called. Resolves the host name, so it runs before the transaction. */
export async function checkUrl(guard: AddressGuard, input: string): Promise<void> {
  if (!URL.canParse(input)) throw invalid('url', 'must be a valid URL.');
  const url = new URL(input);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalid('url', 'must begin with http or https.');
  if (url.username || url.password) throw invalid('url', 'must not contain a user name or password.');
  try {
    await guard.check(url);
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    throw invalid('url', `${error.message}; choose an address that may be called.`, { reason: 'address' });
  }
}
