import { forgeSettings } from '@hortus/contract/forge-settings';
import type { GardenSource } from '@hortus/contract/resources/garden-source-records';
import type { ReactNode } from 'react';
import { Fragment } from 'react';
import { Copied } from '../../../parts/copy.tsx';
import { lasting } from '../../../parts/durations.ts';
import { Time } from '../../../parts/time.tsx';
import { shortSha } from '../commit-text.ts';

/** Where a garden is read from, how often, and with whose permissions it is applied. */
export function SourceTab({ source }: { source: GardenSource }) {
  const { provider, username, has_credentials, checked_at, next_check_at, applied_sha, followed_by } = source;
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['Repository', <code key="url">{source.url}</code>],
    ['Branch', <code key="branch">{source.branch}</code>],
    ['File', <code key="path">{source.path}</code>],
    ['A new commit', source.mode === 'apply' ? 'is applied at once' : 'waits for an approval'],
    ['What left the file', source.prune ? 'is archived or removed' : 'stays'],
    ['Forge', provider === null ? 'unknown, so it gets no states' : forgeSettings[provider].name],
    ['Access token', has_credentials ? `stored${username ? ` for ${username}` : ''}` : 'none'],
    ['Rights of', followed_by === null ? 'no user' : <code key="user">{followed_by}</code>],
    ['Applied commit', applied_sha === null ? 'none' : <code key="sha">{shortSha(applied_sha)}</code>],
    ['Read', checked_at === null ? 'never' : <Time key="read" at={checked_at} ago />],
    ['Interval', `${lasting(source.interval * 1000)}${next_check_at === null ? ', not planned' : ''}`],
  ];
  return (
    <>
      <dl className="facts mb-6 max-w-[860px]">
        {rows.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
      <h2 className="mb-2">Push webhook</h2>
      <p className="mb-3 max-w-[62ch] text-ink-2">
        The forge calls this address after a push. Its secret was shown once; the menu above makes a new one.
      </p>
      <div className="max-w-[860px]">
        <Copied text={source.webhook_url} label="Copy address" />
      </div>
    </>
  );
}
