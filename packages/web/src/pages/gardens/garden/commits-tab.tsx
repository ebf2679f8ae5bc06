import { gardenCommitMachine } from '@hortus/contract/machines/garden-commit';
import type { GardenCommit } from '@hortus/contract/resources/garden-source-records';
import type { Garden } from '@hortus/contract/resources/gardens';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../../api/query.ts';
import { Filter } from '../../../parts/filters.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Named } from '../../../parts/named.tsx';
import { Empty } from '../../../parts/page.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { harmless, shortSha, subjectOf } from '../commit-text.ts';
import { CommitStatus } from '../garden-states.tsx';
import { countsText } from '../plan-changes.tsx';

/** Commits that were found, newest first. */
export function CommitsTab({ garden }: { garden: Garden }) {
  const [search] = useListSearch('/frame/gardens/$id');
  const status = gardenCommitMachine.states.find((state) => state === search.status);
  const query = useApi('gardens.commits', {
    params: { id: garden.id },
    query: { page: search.page ?? 1, ...(status && { status }) },
  });
  return (
    <>
      <div className="filters">
        <Filter name="status" label="State" options={gardenCommitMachine.states} />
      </div>
      <Loaded query={query} lines={6}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={status ? `No commit is ${status}.` : 'No commits yet.'}>
              The newest commit of the branch appears here as soon as the repository is read.
            </Empty>
          ) : (
            <div className="sheet">
              <Table label="Commits" columns={COLUMNS} rows={data} pagination={pagination} />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

const planText = ({ counts, error }: GardenCommit): string => error ?? (counts === null ? '' : countsText(counts));

const COLUMNS: readonly Column<GardenCommit>[] = [
  {
    name: 'Commit',
    cell: (commit) => (
      <Named also={`${shortSha(commit.sha)}, ${harmless(commit.author)}`}>
        <Link
          to="/gardens/$id/commits/$commit"
          params={{ id: commit.garden_id, commit: commit.id }}
          className="row-link"
        >
          <b>
            <bdi>{subjectOf(commit)}</bdi>
          </b>
        </Link>
      </Named>
    ),
  },
  { name: 'State', cell: ({ status }) => <CommitStatus status={status} /> },
  { name: 'Id', wide: true, cell: ({ sha }) => <code>{shortSha(sha)}</code> },
  { name: 'Author', wide: true, cell: ({ author }) => <bdi>{harmless(author)}</bdi> },
  {
    name: 'Plan',
    wide: true,
    cell: (commit) => <span className="line-clamp-2 [overflow-wrap:anywhere]">{planText(commit)}</span>,
  },
  { name: 'Found', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
];
