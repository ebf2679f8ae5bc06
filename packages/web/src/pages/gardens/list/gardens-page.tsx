import type { Garden } from '@hortus/contract/resources/gardens';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { useCommands } from '../../../frame/commands.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Named } from '../../../parts/named.tsx';
import { Empty, Page } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { CommitStatus, RunStatus } from '../garden-states.tsx';
import { FollowRepository } from './follow-repository.tsx';

/** Gardens of the account: from files that are sent, and from repositories that are followed. */
export function GardensPage(): ReactNode {
  const [search, change] = useListSearch('/frame/gardens');
  const query = useApi('gardens.list', { query: { page: search.page ?? 1 } });
  const navigate = useNavigate();
  const mayChange = useMay()('gardens:write');
  const begin = () => change({ new: 'garden' });
  useCommands(
    // biome-ignore lint/correctness/useExhaustiveDependencies: begin only changes the URL
    useMemo(() => (mayChange ? [{ name: 'Follow a repository', run: begin }] : []), [mayChange]),
  );
  const add = mayChange && (
    <Button kind="primary" onClick={begin}>
      <Icon name="plus" />
      Follow a repository…
    </Button>
  );
  const total = query.data?.pagination.total;
  const waiting = query.data?.data.filter(({ source }) => source?.last_commit?.status === 'waiting').length;
  return (
    <Page title="Gardens" sentence={sentence(total, waiting)} actions={total ? add : undefined}>
      <Loaded query={query} lines={6}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No gardens yet." action={add}>
              A garden is a file that says what should run. Keep garden.yaml in a Git repository and let the service
              follow it: each commit is planned, then applied at once or after your approval. Or send the file yourself
              with hortus apply.
            </Empty>
          ) : (
            <div className="sheet">
              <Table label="Gardens" columns={COLUMNS} rows={data} pagination={pagination} />
            </div>
          )
        }
      </Loaded>
      {mayChange && search.new === 'garden' && (
        <FollowRepository
          onClose={(followed) => {
            if (followed) void navigate({ to: '/gardens/$id', params: { id: followed.id } });
            else change({ new: undefined });
          }}
        />
      )}
    </Page>
  );
}

function sentence(total: number | undefined, waiting: number | undefined): string {
  if (!total) return 'Gardens';
  return waiting
    ? `${counted(total, 'garden')}. ${counted(waiting, 'commit')} to approve.`
    : `${counted(total, 'garden')}.`;
}

/** The host and path of a repository, which are enough to recognize it. */
const repositoryOf = (url: string): string => url.replace(/^https?:\/\//i, '').replace(/\.git$/, '');

function State({ garden: { source, last_run } }: { garden: Garden }) {
  if (source?.error) return <Status state="unreadable" tone="bad" />;
  if (source?.last_commit) return <CommitStatus status={source.last_commit.status} />;
  return last_run ? <RunStatus status={last_run.status} /> : <Status state="new" tone="idle" />;
}

const follows = ({ source }: Garden): string =>
  source === null ? 'files by hortus apply' : `${source.branch} of ${repositoryOf(source.url)}`;

const COLUMNS: readonly Column<Garden>[] = [
  {
    name: 'Garden',
    cell: (garden) => (
      <Named also={follows(garden)}>
        <Link to="/gardens/$id" params={{ id: garden.id }} className="row-link">
          <b>{garden.name}</b>
        </Link>
      </Named>
    ),
  },
  { name: 'State', cell: (garden) => <State garden={garden} /> },
  {
    name: 'From',
    wide: true,
    cell: (garden) => <span className="[overflow-wrap:anywhere]">{follows(garden)}</span>,
  },
  { name: 'Made', wide: true, cell: ({ items }) => items },
  {
    name: 'Last run',
    wide: true,
    cell: ({ last_run }) => (last_run ? <Time at={last_run.created_at} ago /> : 'never'),
  },
];
