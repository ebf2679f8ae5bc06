import type { EndpointName } from '@hortus/contract/endpoints';
import type { Call } from '../../http/handler.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Principal } from '../principal.ts';

type CallParts<Name extends EndpointName> = Partial<Pick<Call<Name>, 'params' | 'query' | 'body' | 'address'>>;

/** Creates calls as the HTTP layer would. `cookies` collects the session cookies that handlers set. */
export function callsOn(storage: Storage) {
  const cookies: { token: string | null; expiresAt: number | undefined }[] = [];
  const call = <Name extends EndpointName>(
    principal: Principal | undefined,
    overrides: CallParts<Name> = {},
  ): Call<Name> =>
    ({
      principal,
      params: {},
      query: {},
      body: undefined,
      address: '192.0.2.7',
      tags: { expect: () => {}, respond: () => {} },
      userAgent: 'a test',
      sessionToken: undefined,
      setSession: (token: string | null, expiresAt?: number) => void cookies.push({ token, expiresAt }),
      write: (work: Parameters<Storage['write']>[0]) => storage.write(work),
      ...overrides,
    }) as unknown as Call<Name>;
  return { call, cookies };
}
