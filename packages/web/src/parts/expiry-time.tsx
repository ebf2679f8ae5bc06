import { lasting } from './durations.ts';
import { Status } from './status.tsx';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const SOON_MS = 7 * 86_400_000;

/** When something ends: "never", "in 74 days", a warning within a week, or that it is over. */
export function ExpiryTime({ at, never = 'never' }: { at: string | null; never?: string }) {
  if (at === null) return <>{never}</>;
  const left = Date.parse(at) - Date.now();
  const title = exact.format(Date.parse(at));
  if (left <= 0)
    return (
      <time dateTime={at} title={title}>
        <Status state="expired" tone="idle" />
      </time>
    );
  const words = `in ${lasting(left)}`;
  return (
    <time dateTime={at} title={title}>
      {left < SOON_MS ? (
        <Status state="expires soon" tone="warn">
          {words}
        </Status>
      ) : (
        words
      )}
    </time>
  );
}
