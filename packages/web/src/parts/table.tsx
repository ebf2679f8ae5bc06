import type { ReactNode } from 'react';
import { counted } from './amount.ts';
import { Button } from './button.tsx';
import { useCurrentSearch } from './list-search.ts';

export interface Column<Row> {
  readonly name: string;
  /** Key of `sort` in the URL; absent for columns without an order. */
  readonly sort?: string;
  readonly cell: (row: Row) => ReactNode;
  /** Hidden on a phone, where a row shows two values. */
  readonly wide?: boolean;
}

/**
 * A table whose page and sort are in the URL. The first cell of a row holds its link (class `row-link`), which covers the
 * row, so that the whole row opens.
 */
export function Table<Row extends { readonly id: string }>({
  label,
  columns,
  rows,
  pagination,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  pagination?: { readonly page: number; readonly total: number; readonly total_pages: number };
}) {
  return (
    <>
      <table className="table stacks" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.name} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {columns.map(({ name, cell, wide }) => (
                <td key={name} className={wide ? 'not-on-phone' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {pagination && <Pager {...pagination} />}
    </>
  );
}

function Heading<Row>({ column: { name, sort, wide } }: { column: Column<Row> }) {
  const [search, change] = useCurrentSearch();
  const className = wide ? 'not-on-phone' : undefined;
  if (sort === undefined) return <th className={className}>{name}</th>;
  const direction = search.sort === sort ? 'ascending' : search.sort === `-${sort}` ? 'descending' : 'none';
  return (
    <th className={className} aria-sort={direction}>
      <button
        type="button"
        className="sorter"
        onClick={() => change({ sort: direction === 'ascending' ? `-${sort}` : sort })}
      >
        {name} <span aria-hidden="true">{{ ascending: '↑', descending: '↓', none: '' }[direction]}</span>
      </button>
    </th>
  );
}

/** The way to other pages of a list; nothing if there is only one. */
export function Pager({ page, total, total_pages }: { page: number; total: number; total_pages: number }) {
  const [, change] = useCurrentSearch();
  if (total_pages <= 1) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex items-center gap-3 text-sm text-ink-2">
      <Button small disabled={page <= 1} onClick={() => change({ page: page - 1 })}>
        Newer
      </Button>
      <span>
        Page {page} of {total_pages.toLocaleString()}, {counted(total, 'row')}
      </span>
      <Button small disabled={page >= total_pages} onClick={() => change({ page: page + 1 })}>
        Older
      </Button>
    </nav>
  );
}
