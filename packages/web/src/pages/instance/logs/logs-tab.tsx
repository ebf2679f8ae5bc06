import { type ContainerLogLevel, containerLogLevels } from '@hortus/contract/protocol/log-filter';
import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Filter, SearchField } from '../../../parts/filters.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty } from '../../../parts/page.tsx';
import { saveText } from '../../../parts/save-text.ts';
import { Status } from '../../../parts/status.tsx';
import { toast } from '../../../parts/toast.tsx';
import { textOf } from './log-buffer.ts';
import { LogLines } from './log-lines.tsx';
import { LogSource, type LogView, type LogWish } from './log-source.ts';

/** The log of an instance. Search, component, level and the position of a paused reader are in the URL. */
export function LogsTab({ about: { instance } }: { about: InstanceOverview }) {
  const [search] = useListSearch('/frame/instances/$id');
  const { component, q } = search;
  const level = containerLogLevels.find((level) => level === search.level) as ContainerLogLevel | undefined;
  // Where the person opened the page; later positions only change the URL.
  const [opened] = useState(search.at);
  const filter = JSON.stringify([component, level, q]);
  // A reader pauses for one filter; another one begins at its newest lines.
  const [pausedFor, setPausedFor] = useState(opened === undefined ? undefined : filter);
  const follows = pausedFor !== filter;
  const source = useSource({ instanceId: instance.id, component, level, q, at: follows ? undefined : opened });
  const components = instance.components.map(({ name }) => name);
  const navigate = useNavigate({ from: '/instances/$id' });
  /** Keeps the position in the URL, without a jump of the page. */
  const place = (at: number | undefined) =>
    void navigate({
      search: (now) => ({ ...now, at: at?.toString() }),
      replace: true,
      resetScroll: false,
    });
  const follow = (wanted: boolean) => setPausedFor(wanted ? undefined : filter);
  const isPlaced = search.at !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these two say that a position is out of date
  useEffect(() => {
    if (follows && isPlaced) place(undefined);
  }, [follows, isPlaced]);
  return (
    <section aria-label="Logs">
      <div className="filters">
        <SearchField label="Search the log" />
        {components.length > 1 && <Filter name="component" label="Component" options={components} />}
        <Filter name="level" label="Level" options={containerLogLevels} />
        <span className="log-tools">
          {source && <Tools source={source} name={instance.name} follows={follows} onFollow={follow} />}
        </span>
      </div>
      {source && (
        <Viewer
          source={source}
          q={q ?? ''}
          follows={follows}
          components={components}
          onFollow={follow}
          onPosition={(at) => place(Number(at))}
        />
      )}
    </section>
  );
}

/** One source for each filter; the position only matters when it begins. */
function useSource(wish: LogWish): LogSource | undefined {
  const { instanceId, component, level, q } = wish;
  const [source, setSource] = useState<LogSource>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a source keeps its lines when the reader pauses or follows
  useEffect(() => {
    const opened = new LogSource(wish);
    setSource(opened);
    return () => opened.close();
  }, [instanceId, component, level, q]);
  return source;
}

const useView = (source: LogSource): LogView => useSyncExternalStore(source.subscribe, () => source.view);

function Tools({
  source,
  name,
  follows,
  onFollow,
}: {
  source: LogSource;
  name: string;
  follows: boolean;
  onFollow: (follows: boolean) => void;
}) {
  const { rows } = useView(source);
  const copy = async () => {
    await navigator.clipboard.writeText(textOf(rows));
    toast(`${counted(rows.length, 'line')} copied.`);
  };
  return (
    <>
      <Button aria-pressed={follows} onClick={() => onFollow(!follows)}>
        {follows ? 'Pause' : 'Follow'}
      </Button>
      <Button square aria-label="Copy the lines" title="Copy the lines" disabled={rows.length === 0} onClick={copy}>
        <Icon name="copy" />
      </Button>
      <Button
        square
        aria-label="Download the lines"
        title="Download the lines"
        disabled={rows.length === 0}
        onClick={() => saveText(`${name}.log`, textOf(rows))}
      >
        <Icon name="down" />
      </Button>
    </>
  );
}

interface ViewerProps {
  readonly source: LogSource;
  readonly q: string;
  readonly follows: boolean;
  readonly components: readonly string[];
  readonly onFollow: (follows: boolean) => void;
  readonly onPosition: (at: string) => void;
}

function Viewer({ source, q, follows, components, onFollow, onPosition }: ViewerProps) {
  const view = useView(source);
  const isEmpty = view.rows.length === 0 && view.state !== 'connecting';
  return (
    <>
      {view.problem && (
        <p role="alert" className="mb-3 text-bad-ink">
          {view.problem}
        </p>
      )}
      {view.state === 'waiting' && (
        <p role="status" className="mb-3">
          <Status state="pending">Its server cannot be reached. The log continues when it is back.</Status>
        </p>
      )}
      {isEmpty && view.state !== 'failed' && (
        <Empty title={q ? 'No line matches.' : 'Nothing was written yet.'}>
          {q
            ? 'All words must occur in a line. Lines that match appear here as they are written.'
            : 'What the containers write to their output appears here at once. The server keeps it for a week.'}
        </Empty>
      )}
      {!isEmpty && (
        <LogLines
          view={view}
          q={q}
          follows={follows}
          components={components}
          onFollow={onFollow}
          onPosition={onPosition}
          onTop={() => void source.readOlder()}
        />
      )}
      <p className="mt-2 flex gap-3 text-xs text-ink-3">
        <span>{counted(view.rows.length, 'line')}</span>
        {follows && view.state === 'live' && (
          <Status state="running" tone="now">
            following
          </Status>
        )}
      </p>
    </>
  );
}
