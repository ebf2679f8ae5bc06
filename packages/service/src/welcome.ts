import type { App } from './app.ts';
import type { Config } from './config.ts';

/** Returns the lines shown after the start. Generated credentials are shown only here and never logged. */
export function welcome({ publicUrl }: Config, { firstStart }: App): string[] {
  const lines = [`Hortus is listening on ${publicUrl} (reference: ${publicUrl}/docs)`];
  if (firstStart?.linkToken)
    lines.push(`Set up your sign-in, once, within 24 hours: ${publicUrl}/welcome#${firstStart.linkToken}`);
  if (firstStart?.generatedKey) lines.push(`API key of the first account, shown once: ${firstStart.generatedKey}`);
  if (firstStart?.generatedPassword)
    lines.push(`Login of the first account, shown once: ${firstStart.email} ${firstStart.generatedPassword}`);
  return lines;
}
