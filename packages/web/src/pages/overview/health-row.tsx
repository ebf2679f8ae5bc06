import type { Overview, OverviewInstance } from '@hortus/contract/resources/overview';
import { Status, type Tone, toneOf, wordOf } from '../../parts/status.tsx';

const ORDER: readonly Tone[] = ['ok', 'warn', 'bad', 'wait', 'now', 'idle'];
const MAX_BARS = 60;

/** All instances as one row of bars, with a legend in words. */
export function HealthRow({ overview: { instances } }: { overview: Overview }) {
  if (!instances || instances.length === 0) return null;
  const groups = grouped(instances);
  const label = groups.map(({ word, count }) => `${count} ${word}`).join(', ');
  const scale = Math.min(1, MAX_BARS / instances.length);
  const bars = groups.flatMap(({ tone, word, count }) =>
    Array.from({ length: Math.max(1, Math.round(count * scale)) }, (_, bar) => ({ tone, key: `${word} ${bar}` })),
  );
  return (
    <>
      <div className="seed-row" role="img" aria-label={label}>
        {bars.map(({ tone, key }) => (
          <i key={key} className={tone} />
        ))}
      </div>
      <ul className="flex flex-wrap items-baseline gap-x-7 gap-y-2 max-phone:grid max-phone:grid-cols-2 max-phone:text-sm">
        {groups.map(({ tone, word, count }) => (
          <li key={word}>
            <Status state={word} tone={tone}>
              <span>
                <b className="mr-0.5 font-serif text-[22px]/none font-[450]">{count}</b> {word}
              </span>
            </Status>
          </li>
        ))}
      </ul>
    </>
  );
}

function grouped(instances: readonly OverviewInstance[]) {
  const counts = new Map<string, number>();
  for (const instance of instances) {
    const word = wordOf(instance);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .map(([word, count]) => ({ word, count, tone: toneOf(word) }))
    .sort((a, b) => ORDER.indexOf(a.tone) - ORDER.indexOf(b.tone));
}
