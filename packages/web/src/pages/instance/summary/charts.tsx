import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { InstanceMetrics, InstanceReading, MetricRange } from '@hortus/contract/resources/metrics';
import { useApi } from '../../../api/query.ts';
import { memory } from '../../../parts/amount.ts';
import { useListSearch } from '../../../parts/list-search.ts';
import { Trouble } from '../../../parts/waiting.tsx';
import { Chart, type Mark } from './chart.tsx';
import { rate, seriesOf } from './series.ts';

const RANGES: readonly { readonly range: MetricRange; readonly words: string }[] = [
  { range: '1h', words: 'last hour' },
  { range: '24h', words: 'last 24 h' },
  { range: '7d', words: 'last 7 days' },
];

/** CPU, memory and network over time, with the deployments on the time axis. The range is in the URL. */
export function Charts({
  instanceId,
  reading,
  deployments,
}: {
  instanceId: string;
  reading: InstanceReading | undefined;
  deployments: readonly Deployment[];
}) {
  const [search, change] = useListSearch('/frame/instances/$id');
  const { range, words } =
    RANGES.find((range) => range.range === search.range) ?? (RANGES[1] as (typeof RANGES)[number]);
  const query = useApi('metrics.instance', { params: { id: instanceId }, query: { range } });
  const metrics = query.data?.data;
  if (!metrics && query.error) return <Trouble error={query.error} />;
  return (
    <div className="mb-8">
      <fieldset className="ranges" aria-label="Range of the charts">
        {RANGES.map((item) => (
          <button
            key={item.range}
            type="button"
            aria-pressed={item.range === range}
            onClick={() => change({ range: item.range === '24h' ? undefined : item.range })}
          >
            {item.words}
          </button>
        ))}
      </fieldset>
      <div className="charts">
        {metrics && <Three metrics={metrics} reading={reading} marks={marksOf(deployments)} words={words} />}
      </div>
    </div>
  );
}

function Three({
  metrics,
  reading,
  marks,
  words,
}: {
  metrics: InstanceMetrics;
  reading: InstanceReading | undefined;
  marks: readonly Mark[];
  words: string;
}) {
  const isMeasured = reading !== undefined && (reading.live || reading.components.length > 0);
  const series = seriesOf(metrics, (isMeasured ? reading : metrics.latest) ?? undefined);
  const { now } = series;
  const shared = { xs: series.xs, marks, from: Date.parse(metrics.from) / 1000, words };
  const [memoryValue = '–', memoryUnit = ''] = now ? memory(now.memory).split(' ') : [];
  return (
    <>
      <Chart
        {...shared}
        title="CPU"
        colours={['--chart-1']}
        ys={[series.cpu]}
        value={now ? now.cpu.toFixed(now.cpu < 10 ? 1 : 0) : '–'}
        unit="% of a core"
        print={(percent) => `${Number(percent.toFixed(1))}`}
      />
      <Chart
        {...shared}
        binary
        title="Memory"
        colours={['--chart-2']}
        ys={[series.memory]}
        value={memoryValue}
        unit={memoryUnit}
        print={memory}
      />
      <Chart
        {...shared}
        wide
        title="Network"
        colours={['--chart-3', '--chart-1']}
        ys={[series.received, series.sent]}
        value={now ? rate(now.received) : '–'}
        unit={now ? `in, ${rate(now.sent)} out (dashed)` : ''}
        print={rate}
      />
    </>
  );
}

const marksOf = (deployments: readonly Deployment[]): Mark[] =>
  deployments
    .filter(({ status, finished_at }) => status === 'success' && finished_at !== null)
    .map(({ finished_at, revision }) => ({
      at: Date.parse(finished_at as string) / 1000,
      text: `revision ${revision}`,
    }));
