import type { Config } from '../../config/config-fields.ts';
import type { Invoke } from '../../http/invoke.ts';
import type { Resource } from '../../resource.ts';
import type { Pages } from '../../storage/page.ts';
import type { Storage } from '../../storage/storage.ts';
import { CONFIRMATION_EXPIRY, expiryJob } from './expiry-job.ts';
import { removeConfirmations } from './retention.ts';
import { confirmationRoutes } from './routes.ts';
import { Confirmations } from './service.ts';

interface Needs {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly storage: Storage;
  readonly pages: Pages;
  readonly invoke: Invoke;
}

export const resource = {
  tables: ['confirmations'],
  retention: ({ events }) => [{ name: 'confirmations', days: events, remove: removeConfirmations }],
  wire: ({ config: { publicUrl }, storage, pages, invoke }: Needs) => ({
    handlers: confirmationRoutes(new Confirmations({ storage, pages, publicUrl, invoke })),
    jobs: { [CONFIRMATION_EXPIRY]: expiryJob(storage) },
  }),
} satisfies Resource<Needs>;
