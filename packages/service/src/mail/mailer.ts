import { setTimeout as sleep } from 'node:timers/promises';
import type { TransportOptions } from 'nodemailer';
import type { Reply } from '../outbound/deliveries.ts';

export interface Mail {
  /** Stable across attempts; becomes part of the Message-ID, by which receivers discard duplicates. */
  readonly id: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Never rejects: a failure is part of the reply. */
  send(mail: Mail): Promise<Reply & { readonly text?: string }>;
}

export interface MailerOptions {
  /** smtp:// or smtps://, set by the operator and therefore not checked by the address guard. */
  readonly url: string;
  readonly from: string;
  readonly timeoutMs?: number;
}

const MAX_SUBJECT_LENGTH = 200;
const timedOut = Symbol('timed out');

/** Sends mails by SMTP. The library is loaded with the first mail, so that services without mail start faster. */
export function openMailer({ url, from, timeoutMs = 10_000 }: MailerOptions): Mailer {
  const domain = /@([A-Za-z0-9.-]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    async send({ id, to, subject, text }) {
      const begun = performance.now();
      const durationMs = () => Math.round(performance.now() - begun);
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        url,
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        // Contents never come from files or addresses.
        disableFileAccess: true,
        disableUrlAccess: true,
      } as TransportOptions);
      const over = new AbortController();
      const late = sleep(timeoutMs, timedOut, { signal: over.signal });
      const sent = transport.sendMail({
        from,
        to: to.map((address) => ({ name: '', address })),
        subject: oneLine(subject),
        text,
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      try {
        const info = await Promise.race([sent, late]);
        if (info === timedOut)
          return { status: null, error: `no answer within ${timeoutMs / 1_000} s`, durationMs: durationMs() };
        const response = String(info.response);
        return { status: Number.parseInt(response, 10) || 250, error: null, text: response, durationMs: durationMs() };
      } catch (error) {
        return { ...failureOf(error), durationMs: durationMs() };
      } finally {
        over.abort();
        transport.close();
        // What ends after the race was lost is of no interest.
        for (const rest of [sent, late]) rest.catch(() => undefined);
      }
    },
  };
}

/** Header injection: a line break would begin another header. */
const oneLine = (subject: string): string =>
  subject
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_SUBJECT_LENGTH);

/** The message of the library may contain the user name of the mail server; the answer of the server does not. */
function failureOf(error: unknown): { status: number; error: null; text?: string } | { status: null; error: string } {
  const { responseCode, response, code } = error as { responseCode?: unknown; response?: unknown; code?: unknown };
  if (typeof responseCode === 'number') return { status: responseCode, error: null, text: String(response ?? '') };
  return {
    status: null,
    error: typeof code === 'string' ? `the mail server failed: ${code}` : 'the mail server failed',
  };
}
