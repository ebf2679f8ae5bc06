import type { App } from './app.ts';
import type { Config } from './config/config.ts';

/** Returns the lines shown after the start. Generated credentials are shown only here and never logged. */
export function welcome({ publicUrl }: Config, { firstStart }: App): string[] {
  const lines = welcomeLog(publicUrl, firstStart?.linkToken);
  if (firstStart?.generatedKey) lines.push(`API key of the first account, shown once: ${firstStart.generatedKey}`);
  if (firstStart?.generatedPassword)
    lines.push(`Login of the first account, shown once: ${firstStart.email} ${firstStart.generatedPassword}`);
  return lines;
}

/**
 * Returns the lines for an output that is kept, such as the log of a container: a link that works once and expires, but no key and no
 * password.
 */
export function welcomeLog(publicUrl: string, linkToken: string | undefined): string[] {
  const link = linkToken && `Set up your sign-in, once, within 24 hours: ${publicUrl}/welcome#${linkToken}`;
  return [`Hortus is listening on ${publicUrl} (reference: ${publicUrl}/docs)`, ...(link ? [link] : [])];
}
