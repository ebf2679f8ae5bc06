import type { OverviewInstance } from '@hortus/contract/resources/overview';
import { Link } from '@tanstack/react-router';
import { Mark } from '../../../parts/mark.tsx';
import { Empty } from '../../../parts/page.tsx';
import { Status, wordOf } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Skeleton } from '../../../parts/waiting.tsx';

/** Instances of a server. */
export function Runs({ instances }: { instances: readonly OverviewInstance[] | undefined }) {
  if (!instances) return <Skeleton lines={4} />;
  if (instances.length === 0)
    return (
      <Empty title="Nothing runs here yet.">
        Choose a species in the catalog and this server in its form; the daemon does the rest.
      </Empty>
    );
  return (
    <div className="sheet">
      <Table label="Instances of this server" columns={COLUMNS} rows={instances} />
    </div>
  );
}

const COLUMNS: readonly Column<OverviewInstance>[] = [
  {
    name: 'Name',
    cell: ({ id, name, species, family }) => (
      <span className="flex items-center gap-2.5">
        <Mark species={species} family={family} size={26} />
        <Link to="/instances/$id" params={{ id }} className="row-link">
          <b>{name}</b>
        </Link>
      </span>
    ),
  },
  { name: 'Species', wide: true, cell: ({ species }) => species },
  { name: 'State', cell: (instance) => <Status state={wordOf(instance)} /> },
  { name: 'Since', wide: true, cell: ({ updated_at }) => <Time at={updated_at} ago /> },
];
