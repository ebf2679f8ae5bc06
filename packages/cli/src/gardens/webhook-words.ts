import { anyForge, forgeSettings } from '@hortus/contract/forge-settings';
import type { GardenSource } from '@hortus/contract/resources/garden-source-records';
import { facts } from '../output/table.ts';
import { lasting } from '../output/words.ts';
import type { Terminal } from '../world/terminal.ts';

/** Says what to enter at the forge, so that pushes are heard at once. The secret is shown only here. */
export function webhookText(
  terminal: Terminal,
  { provider, interval }: GardenSource,
  webhook: { readonly url: string; readonly secret: string },
): string {
  const { menu, url, secret, choices } = provider === null ? anyForge : forgeSettings[provider];
  const place = provider === null ? 'in the settings of the repository' : `at ${forgeSettings[provider].name}`;
  const rows = facts(terminal, [['Where', menu.join(' > ')], [url, webhook.url], [secret, webhook.secret], ...choices]);
  return `Enter this ${place} to let every push be read at once. The secret is shown only now.
${rows}Without it the repository is read every ${lasting(interval * 1000)}.
`;
}
