import { anyForge, forgeSettings } from '@hortus/contract/forge-settings';
import type { Forge } from '@hortus/contract/resources/garden-source-records';
import { Fragment } from 'react';
import { Copied } from '../../parts/copy.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';

/** What to enter at the forge. The secret is shown only here. */
export function WebhookSettings({
  title,
  provider,
  webhook,
  onStored,
}: {
  title: string;
  provider: Forge | null;
  webhook: { readonly url: string; readonly secret: string };
  onStored: () => void;
}) {
  const { menu, url, secret, choices } = provider === null ? anyForge : forgeSettings[provider];
  const forge = provider === null ? 'your forge' : forgeSettings[provider].name;
  return (
    <ShownOnce title={title} secret={webhook.secret} label="Copy secret" onStored={onStored}>
      <p className="mb-4">
        Add a webhook at {forge}, so that every push is read at once. Without it the repository is read at its interval.
        The secret is not shown again.
      </p>
      <dl className="facts mb-4">
        <dt>Where</dt>
        <dd>{menu.join(' › ')}</dd>
        {choices.map(([label, choice]) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>{choice}</dd>
          </Fragment>
        ))}
      </dl>
      <p className="mb-1 text-sm">{url}</p>
      <Copied text={webhook.url} label="Copy address" />
      <p className="mt-3 text-sm">{secret}</p>
    </ShownOnce>
  );
}
