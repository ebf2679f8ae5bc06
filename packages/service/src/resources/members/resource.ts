import type { Config } from '../../config/config-fields.ts';
import type { Passwords } from '../../identity/passwords.ts';
import type { SendAccountMail } from '../../mail/account-mail.ts';
import type { Resource } from '../../resource.ts';
import type { Pages } from '../../storage/page.ts';
import type { Storage } from '../../storage/storage.ts';
import { FirstRun } from './first-run.ts';
import { memberRoutes } from './routes.ts';
import { Members, type MembersDeps } from './service.ts';

interface Needs {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly storage: Storage;
  readonly pages: Pages;
  readonly passwords: Passwords;
  readonly accountMail: SendAccountMail;
  readonly keys: { readonly revokeAllOf: MembersDeps['revokeKeysOf'] };
}

export const resource = {
  tables: ['users', 'invites', 'password_resets'],
  wire: ({ config: { publicUrl }, storage, pages, passwords, accountMail: mail, keys }: Needs) => {
    const revokeKeysOf: MembersDeps['revokeKeysOf'] = (tx, ...args) => keys.revokeAllOf(tx, ...args);
    const members = new Members({ storage, pages, passwords, publicUrl, mail, revokeKeysOf });
    return { handlers: memberRoutes(members, new FirstRun({ storage, passwords })) };
  },
} satisfies Resource<Needs>;
