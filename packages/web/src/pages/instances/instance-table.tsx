// biome-ignore-all lint/a11y/useSemanticElements: rows of a table element cannot be placed by a position
// biome-ignore-all lint/a11y/useFocusableInteractive: the links and buttons in the rows take the focus
import type { Instance } from '@hortus/contract/resources/instance-records';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Mark } from '../../parts/mark.tsx';
import { Status, Tag, wordOf } from '../../parts/status.tsx';
import { Since, Time } from '../../parts/time.tsx';
import { useServers } from '../servers/known-servers.ts';
import type { InstanceRows } from './instance-rows.ts';
import { SortHeading } from './sort-heading.tsx';

const ROW = 52;
const OVERSCAN = 12;
/** Rows that only fly by are not read. */
const REST_MS = 80;

/** A table of any length: only the rows in view exist, and the page itself scrolls. */
export function InstanceTable({ rows, total }: { rows: InstanceRows; total: number }) {
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: total,
    estimateSize: () => ROW,
    overscan: OVERSCAN,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const { show } = rows;
  useEffect(() => {
    const timer = setTimeout(() => show(from, to), REST_MS);
    return () => clearTimeout(timer);
  });
  const { nameOf: serverName } = useServers();
  return (
    <div role="table" aria-label="Instances" aria-rowcount={total + 1} className="instance-table">
      <div role="row" className="head" aria-rowindex={1}>
        <SortHeading name="Name" sort="name" />
        <SortHeading name="Status" sort="status" />
        <SortHeading name="Server" />
        <SortHeading name="Running for" sort="started_at" />
        <SortHeading name="Revision" />
        <SortHeading name="Address" />
      </div>
      <div ref={body} role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ key, index, start }) => {
          const instance = rows.at(index);
          const server = instance && serverName(instance.server_id);
          return <Row key={key} index={index} top={start - top} instance={instance} server={server} />;
        })}
      </div>
    </div>
  );
}

interface RowProps {
  readonly index: number;
  readonly top: number;
  /** Undefined while its page is on its way. */
  readonly instance: Instance | undefined;
  readonly server: string | undefined;
}

/** A row is drawn once, however often the others change while the page scrolls. */
const Row = memo(function Row({ index, top, instance, server = '' }: RowProps) {
  return (
    <div role="row" aria-rowindex={index + 2} className="row" style={{ transform: `translateY(${top}px)` }}>
      {instance ? <Cells instance={instance} server={server} /> : <Unread />}
    </div>
  );
});

function Cells({ instance, server }: { instance: Instance; server: string }) {
  const { id, name, species, family, started_at, status, revision, url, drifted_at } = instance;
  return (
    <>
      <Cell className="flex items-center gap-3">
        <Mark species={species} family={family} size={32} />
        <span className="min-w-0">
          <Link to="/instances/$id" params={{ id }} className="row-link block truncate font-[550]">
            {name}
          </Link>
          <span className="block truncate text-xs text-ink-3">{species}</span>
        </span>
      </Cell>
      <Cell className="flex items-center gap-2">
        <Status state={wordOf(instance)} />
        {drifted_at && <Tag tone="warn">drift</Tag>}
      </Cell>
      <Cell wide className="truncate">
        {server}
      </Cell>
      <Cell wide>{status === 'running' && started_at ? <Since at={started_at} /> : '–'}</Cell>
      <Cell wide>
        {revision ?? '–'}
        {status !== 'running' && (
          <span className="ml-2 text-ink-3">
            <Time at={instance.updated_at} ago />
          </span>
        )}
      </Cell>
      <Cell wide className="truncate">
        {url ? (
          <a className="link own" href={url} target="_blank" rel="noreferrer">
            {url.replace(/^https?:\/\//, '')}
          </a>
        ) : (
          '–'
        )}
      </Cell>
    </>
  );
}

function Cell({ wide, className = '', children }: { wide?: boolean; className?: string; children: ReactNode }) {
  return (
    <div role="cell" className={`${wide ? 'not-on-phone' : ''} ${className}`}>
      {children}
    </div>
  );
}

/** A row whose page is on its way. */
function Unread() {
  return (
    <Cell>
      <span className="skeleton w-40" />
    </Cell>
  );
}
