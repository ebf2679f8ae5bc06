import type { Config } from '../../config/config-fields.ts';
import type { SendAccountMail } from '../../mail/account-mail.ts';
import type { Resource } from '../../resource.ts';
import type { Pages } from '../../storage/page.ts';
import type { Queries } from '../../storage/storage.ts';
import { installationRoutes } from './routes.ts';
import { Installation } from './service.ts';

interface Needs {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly reader: Queries;
  readonly pages: Pages;
  readonly accountMail: SendAccountMail;
}

export const resource = {
  tables: ['accounts'],
  // Lists accounts with the number of their users.
  joins: ['users'],
  wire: ({ config: { publicUrl }, reader, pages, accountMail: mail }: Needs) => ({
    handlers: installationRoutes(new Installation({ reader, pages, publicUrl, mail })),
  }),
} satisfies Resource<Needs>;
