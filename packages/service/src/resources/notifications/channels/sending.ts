import type { ChannelType } from '@hortus/contract/resources/notification-channels';
import type { Mailer } from '../../../mail/mailer.ts';
import type { AddressGuard } from '../../../outbound/address-guard.ts';
import { RESPONSE_TIMEOUT_MS, type Reply } from '../../../outbound/deliveries.ts';
import { post } from '../../../outbound/post.ts';
import { formats } from '../formats/all.ts';
import { email } from '../formats/email.ts';
import type { ChannelConfig } from '../formats/format.ts';
import type { Message } from '../message.ts';

export interface SendingDeps {
  readonly guard: AddressGuard;
  /** Undefined if the operator has set no mail server. */
  readonly mailer: Mailer | undefined;
  /** Timeout of a receiver; default 10 s. */
  readonly timeoutMs?: number;
}

export type SentReply = Reply & { readonly text?: string };

/** Sends a message once, by mail or by HTTP. */
export async function sendMessage(
  { guard, mailer, timeoutMs = RESPONSE_TIMEOUT_MS }: SendingDeps,
  { type, config }: { readonly type: ChannelType; readonly config: ChannelConfig },
  message: Message,
  { signal, readResponse }: { readonly signal: AbortSignal; readonly readResponse?: true },
): Promise<SentReply> {
  if (type !== 'email') {
    const request = formats[type](config, message);
    return await post({ ...request, timeoutMs, guard, signal, ...(readResponse && { readResponse }) });
  }
  if (!mailer) return { status: null, error: 'the operator has set no mail server (HORTUS_SMTP_URL)', durationMs: 0 };
  return await mailer.send(email(config, message));
}
