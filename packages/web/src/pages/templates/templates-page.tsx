import type { TemplateItem } from '@hortus/contract/resources/templates';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Mark } from '../../parts/mark.tsx';
import { Empty } from '../../parts/page.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { Tag } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { TemplateStatus } from './template-status.tsx';

const columns: readonly Column<TemplateItem>[] = [
  {
    name: 'Template',
    cell: ({ id, name, species, family }) => (
      <Link to="/templates/$id" params={{ id }} className="row-link flex items-center gap-3">
        <Mark species={species} family={family} size={28} />
        <b>{name}</b>
        <span className="text-ink-3">{species}</span>
      </Link>
    ),
  },
  { name: 'Version', cell: ({ version }) => version, wide: true },
  { name: 'Family', cell: ({ family }) => family.replaceAll('_', ' '), wide: true },
  {
    name: 'Status',
    cell: ({ status, deprecated }) => (
      <span className="flex gap-2">
        <TemplateStatus status={status} />
        {deprecated && <Tag tone="warn">deprecated</Tag>}
      </span>
    ),
  },
  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} ago />, wide: true },
];

/** The templates that the account wrote or imported. */
export function TemplatesPage(): ReactNode {
  const [{ page = 1 }] = useListSearch('/frame/templates');
  const query = useApi('drafts.list', { query: { page, per_page: 50 } });
  return (
    <RecordPage
      title="Your templates"
      crumbs={[
        <Link key="catalog" to="/catalog">
          Catalog
        </Link>,
      ]}
      lead="Species that only this account sees: from a draft over its checks to a published version that never changes."
      actions={<Doing />}
    >
      <Loaded query={query} lines={8}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No templates yet." action={<Doing />}>
              A template describes the containers of an application, what it asks for and how to back it up. The
              quickest way to one is its Compose file: Hortus infers the rest, and you decide before it is kept.
            </Empty>
          ) : (
            <Table label="Templates" columns={columns} rows={data} pagination={pagination} />
          )
        }
      </Loaded>
    </RecordPage>
  );
}

function Doing() {
  const may = useMay();
  if (!may('templates:write')) return null;
  return (
    <span className="flex flex-wrap gap-3">
      <ButtonLink to="/templates/new">New template</ButtonLink>
      <ButtonLink to="/templates/import" kind="primary">
        Import a Compose file…
      </ButtonLink>
    </span>
  );
}
