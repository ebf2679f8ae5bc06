import type { Config } from '../../config/config-fields.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { AddressGuard } from '../../outbound/address-guard.ts';
import type { Resource } from '../../resource.ts';
import type { Pages } from '../../storage/page.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { removeAlerts } from './alerts/retention.ts';
import type { Channels } from './channels/service.ts';
import { certificatesJob } from './conditions/certificates.ts';
import { watchJob, watchSlowlyJob } from './conditions/watch-jobs.ts';
import { composeJob } from './deliveries/compose-job.ts';
import { removeNotifications } from './deliveries/retention.ts';
import { sendJob } from './deliveries/send-job.ts';
import { eventsJob } from './events/job.ts';
import { wakeRules } from './events/subscriber.ts';
import { CERTIFICATES, COMPOSE, EVENTS, SEND, WATCH, WATCH_SLOWLY } from './jobs.ts';
import { notificationRoutes } from './routes.ts';
import type { Rules } from './rules/service.ts';
import { Notifications } from './service.ts';

interface Needs {
  readonly config: Pick<Config, 'publicUrl' | 'alertGroupSeconds' | 'alertWatchSeconds'>;
  readonly storage: Storage;
  readonly vault: Vault;
  readonly pages: Pages;
  readonly guard: AddressGuard;
  /** Undefined if mails are not configured. */
  readonly mailer: Mailer | undefined;
  readonly channels: Channels;
  readonly rules: Rules;
}

export const resource = {
  tables: [
    'notification_channels',
    'notification_rules',
    'notification_accounts',
    'notification_queue',
    'alerts',
    'notifications',
    'certificates',
  ],
  // Finds accounts that have no rules yet, and certificates whose instance still exists.
  joins: ['accounts', 'instances'],
  subscribers: [wakeRules],
  retention: ({ events, deliveries }) => [
    { name: 'notifications', days: deliveries, remove: removeNotifications },
    { name: 'alerts', days: events, remove: removeAlerts },
  ],
  wire: ({ config, storage, vault, pages, guard, mailer, channels, rules }: Needs) => {
    const { publicUrl } = config;
    const groupingMs = config.alertGroupSeconds * 1_000;
    const notifications = new Notifications({ reader: storage.reader, pages });
    return {
      handlers: notificationRoutes(channels, rules, notifications),
      jobs: {
        [WATCH]: watchJob({ storage, rules, groupingMs, everyMs: config.alertWatchSeconds * 1_000 }),
        [WATCH_SLOWLY]: watchSlowlyJob({ storage, rules, groupingMs }),
        [CERTIFICATES]: certificatesJob({ storage, guard }),
        [EVENTS]: eventsJob({ storage, rules, groupingMs }),
        [COMPOSE]: composeJob({ storage, publicUrl }),
        [SEND]: sendJob({ storage, vault, guard, mailer }),
      },
    };
  },
} satisfies Resource<Needs>;
