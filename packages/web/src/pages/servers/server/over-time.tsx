import type { CapacityHistory, CapacityPoint } from '@hortus/contract/resources/capacity';
import { useApi } from '../../../api/query.ts';
import { memory } from '../../../parts/amount.ts';
import { FilterSelect } from '../../../parts/filter-choice.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Section } from '../../../parts/page.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { HEIGHT, seriesPath, WIDTH } from './series-path.ts';

const RANGES = [
  { value: '24h', label: 'Last day' },
  { value: '7d', label: 'Last week' },
] as const;

/** Processor and memory of a server over time; the range is in the URL. */
export function OverTime({ serverId }: { serverId: string }) {
  const [search] = useListSearch('/frame/servers/$id');
  const range = RANGES.find(({ value }) => value === search.range)?.value ?? '1h';
  const query = useApi('capacity.history', { params: { server_id: serverId }, query: { range } });
  return (
    <Section
      title="Over time"
      more={<FilterSelect name="range" label="Range" all="Last hour" choices={RANGES} />}
      className="mb-9"
    >
      <div className="sheet min-h-[248px] px-[18px] py-4">
        <Loaded query={query} lines={4}>
          {({ data }) =>
            data.points.length < 2 ? (
              <p className="text-ink-3">Two reports make a line; the first ones arrive within two minutes.</p>
            ) : (
              <>
                <Chart name="CPU" history={data} of={({ cpu }) => cpu.used_percent} words={cpuWords} />
                <Chart name="Memory" history={data} of={memoryPercent} words={memoryWords} />
                <p className="flex justify-between text-xs text-ink-3">
                  <Time at={data.from} ago />
                  <span>now</span>
                </p>
              </>
            )
          }
        </Loaded>
      </div>
    </Section>
  );
}

const cpuWords = ({ cpu }: CapacityPoint): string => `${Math.round(cpu.used_percent)} %`;
const memoryPercent = ({ memory: { used, free } }: CapacityPoint): number => (used / Math.max(1, used + free)) * 100;
const memoryWords = ({ memory: { used } }: CapacityPoint): string => memory(used);

/** One series with its current value beside its name. */
function Chart({
  name,
  history: { points, from, to, step_seconds },
  of,
  words,
}: {
  name: string;
  history: CapacityHistory;
  of: (point: CapacityPoint) => number;
  words: (point: CapacityPoint) => string;
}) {
  const values = points.map((point) => ({ at: Date.parse(point.at), percent: of(point) }));
  const span = { from: Date.parse(from), to: Date.parse(to), stepMs: step_seconds * 1000 };
  const last = points.at(-1) as CapacityPoint;
  const percents = values.map(({ percent }) => Math.round(percent));
  const label = `${name}: ${words(last)}, between ${Math.min(...percents)} % and ${Math.max(...percents)} %`;
  return (
    <div className="mb-4">
      <p className="mb-1 flex justify-between text-xs text-ink-3">
        <span>{name}</span>
        <b className="font-medium text-ink-2">{words(last)}</b>
      </p>
      <svg
        className="series"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        <path className="limit" d={`M0 .5H${WIDTH}`} />
        <path d={seriesPath(values, span)} />
      </svg>
    </div>
  );
}
