import { type SendAccountMail, sendAccountMail } from '../mail/account-mail.ts';
import { type Mailer, openMailer } from '../mail/mailer.ts';
import type { AddressGuard } from '../outbound/address-guard.ts';
import { closeAlertsOf } from '../resources/notifications/alerts/raising.ts';
import { Channels } from '../resources/notifications/channels/service.ts';
import { Rules } from '../resources/notifications/rules/service.ts';
import type { SharedDependencies } from './dependencies.ts';

export interface NotificationsMade {
  readonly channels: Channels;
  readonly rules: Rules;
  /** Undefined if mails are not configured. */
  readonly mailer: Mailer | undefined;
  readonly accountMail: SendAccountMail;
}

/** Creates the rules and channels of alerts, and the mails about accounts. */
export function makeNotifications(
  { config, storage, vault, pages }: SharedDependencies,
  guard: AddressGuard,
): NotificationsMade {
  const { publicUrl, smtpUrl, mailFrom } = config;
  const mailer = smtpUrl === undefined ? undefined : openMailer({ url: smtpUrl, from: mailFrom });
  const rules = new Rules({ storage, pages, close: closeAlertsOf });
  const channels = new Channels({
    storage,
    vault,
    pages,
    guard,
    mailer,
    publicUrl,
    forget: (tx, ...args) => rules.forgetChannel(tx, ...args),
  });
  return { channels, rules, mailer, accountMail: sendAccountMail(vault, mailer) };
}
