import type { LogLine } from '@hortus/contract/resources/deployment-records';
import { useLayoutEffect, useRef, useState } from 'react';
import { Matched, matches } from '../../frame/matched.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Status } from '../../parts/status.tsx';

/** Lines on the page; a browser draws so many quickly, and older ones are rarely read. */
const MAX_SHOWN = 2_000;
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

const LEVELS = [
  ['', 'All'],
  ['warn', 'Warnings'],
  ['error', 'Errors'],
] as const;

/** The log of a deployment: filter and search are in the URL; it follows until it is scrolled up. Text only. */
export function RolloutLog({ lines, isRunning }: { lines: readonly LogLine[]; isRunning: boolean }) {
  const [{ q = '', level = '' }, change] = useListSearch('/frame/deployments/$id');
  const region = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  const query = q.trim();
  const found = lines.filter(
    (line) =>
      (level === '' || line.level === level) && (query === '' || matches(`${line.step} ${line.message}`, query)),
  );
  const shown = found.slice(-MAX_SHOWN);
  const last = shown.at(-1)?.number;
  useLayoutEffect(() => {
    const element = region.current;
    if (follows && element && last !== undefined) element.scrollTop = element.scrollHeight;
  }, [last, follows]);
  const scrolled = () => {
    const element = region.current;
    if (element) setFollows(element.scrollHeight - element.scrollTop - element.clientHeight < 24);
  };
  return (
    <section className="sheet rollout-log" aria-label="Log">
      <div className="rollout-bar">
        {LEVELS.map(([value, label]) => {
          const count = value === '' ? lines.length : lines.filter((line) => line.level === value).length;
          return (
            <button
              key={value}
              type="button"
              className="chip"
              aria-pressed={level === value}
              onClick={() => change({ level: value || undefined })}
            >
              {label} <i>{count.toLocaleString()}</i>
            </button>
          );
        })}
        <label className="rollout-search">
          <Icon name="search" />
          <span className="sr-only">Search the log</span>
          <input
            type="search"
            placeholder="Search"
            value={q}
            onChange={(event) => change({ q: event.target.value || undefined })}
          />
        </label>
      </div>
      <div
        ref={region}
        className="lines"
        role="log"
        aria-label="Lines of the log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard
        tabIndex={0}
        onScroll={scrolled}
      >
        {found.length > shown.length && (
          <p className="px-4 text-ink-3">{(found.length - shown.length).toLocaleString()} older lines; search them.</p>
        )}
        {shown.length === 0 && (
          <p className="px-4 text-ink-3">
            {lines.length === 0 ? 'The log begins when the server claims the deployment.' : 'No line has this.'}
          </p>
        )}
        {shown.map((line) => (
          <div key={line.number} className={line.level === 'info' ? undefined : line.level}>
            <time dateTime={line.at}>{clock.format(Date.parse(line.at))}</time>
            <span className="step">{line.step?.replaceAll('_', ' ') ?? 'daemon'}</span>
            <span className="message">
              {line.level !== 'info' && <span className="sr-only">{line.level}: </span>}
              <Matched text={line.message} query={query} />
            </span>
          </div>
        ))}
      </div>
      <div className="rollout-foot">
        {isRunning ? (
          <Status state="running" tone={follows ? 'now' : 'idle'}>
            {follows ? 'Following' : 'Paused; scroll down to follow'}
          </Status>
        ) : (
          <Status state="done" tone="idle">
            Complete
          </Status>
        )}
        <span className="ml-auto">{found.length.toLocaleString()} lines</span>
      </div>
    </section>
  );
}
