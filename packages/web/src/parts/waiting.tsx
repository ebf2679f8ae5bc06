import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { problemText } from '../api/problem.ts';
import { Time } from './time.tsx';

/** Grey lines of the height that the content will have, so that nothing moves when it arrives. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no identity
        <span key={line} className={`skeleton my-[16px] ${['w-2/5', 'w-11/12', 'w-3/5'][line % 3]}`} />
      ))}
    </div>
  );
}

/**
 * Shows an answer. Before the first one: grey lines. After a failure: the last answer with its age, or the problem if
 * there was none.
 */
export function Loaded<Data>({
  query,
  lines,
  children,
}: {
  query: UseQueryResult<Data, Error>;
  lines?: number;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, dataUpdatedAt } = query;
  if (data === undefined)
    return error ? <Trouble error={error} /> : <Skeleton {...(lines !== undefined && { lines })} />;
  return (
    <>
      {error && (
        <Trouble error={error}>
          {' '}
          Shown as it was <Time at={new Date(dataUpdatedAt).toISOString()} ago />.
        </Trouble>
      )}
      {children(data)}
    </>
  );
}

export function Trouble({ error, children }: { error: unknown; children?: ReactNode }) {
  return (
    <p role="alert" className="mb-4 rounded-2 border border-line bg-bad-1 px-4 py-3 text-bad-ink">
      {problemText(error)}
      {children}
    </p>
  );
}
