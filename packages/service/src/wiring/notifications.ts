import type { JobKind } from '../jobs/job.ts';
import { MAIL, mailJob, type SendAccountMail, sendAccountMail } from '../mail/account-mail.ts';
import { openMailer } from '../mail/mailer.ts';
import type { AddressGuard } from '../outbound/address-guard.ts';
import { closeAlertsOf } from '../resources/notifications/alerts/raising.ts';
import { Channels } from '../resources/notifications/channels/service.ts';
import { certificatesJob } from '../resources/notifications/conditions/certificates.ts';
import { watchJob, watchSlowlyJob } from '../resources/notifications/conditions/watch-jobs.ts';
import { composeJob } from '../resources/notifications/deliveries/compose-job.ts';
import { sendJob } from '../resources/notifications/deliveries/send-job.ts';
import { eventsJob } from '../resources/notifications/events/job.ts';
import { CERTIFICATES, COMPOSE, EVENTS, SEND, WATCH, WATCH_SLOWLY } from '../resources/notifications/jobs.ts';
import { Rules } from '../resources/notifications/rules/service.ts';
import { Notifications } from '../resources/notifications/service.ts';
import type { SharedDependencies } from './dependencies.ts';

export interface NotificationsMade {
  readonly channels: Channels;
  readonly rules: Rules;
  readonly notifications: Notifications;
  readonly accountMail: SendAccountMail;
  readonly notificationJobs: Readonly<Record<string, JobKind>>;
}

/** Creates alerts, their rules and channels, and the mails about accounts. */
export function makeNotifications(
  { config, storage, vault, pages }: SharedDependencies,
  guard: AddressGuard,
): NotificationsMade {
  const { publicUrl, smtpUrl, mailFrom } = config;
  const groupingMs = config.alertGroupSeconds * 1_000;
  const mailer = smtpUrl === undefined ? undefined : openMailer({ url: smtpUrl, from: mailFrom });
  const rules = new Rules({ storage, pages, close: closeAlertsOf });
  const channels = new Channels({
    storage,
    vault,
    pages,
    guard,
    mailer,
    publicUrl,
    forget: (tx, ...of) => rules.forgetChannel(tx, ...of),
  });
  return {
    channels,
    rules,
    notifications: new Notifications({ reader: storage.reader, pages }),
    accountMail: sendAccountMail(vault, mailer),
    notificationJobs: {
      [WATCH]: watchJob({ storage, rules, groupingMs, everyMs: config.alertWatchSeconds * 1_000 }),
      [WATCH_SLOWLY]: watchSlowlyJob({ storage, rules, groupingMs }),
      [CERTIFICATES]: certificatesJob({ storage, guard }),
      [EVENTS]: eventsJob({ storage, rules, groupingMs }),
      [COMPOSE]: composeJob({ storage, publicUrl }),
      [SEND]: sendJob({ storage, vault, guard, mailer }),
      ...(mailer && { [MAIL]: mailJob(storage, vault, mailer) }),
    },
  };
}
