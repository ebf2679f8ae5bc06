import type { Deployment } from '@hortus/contract/resources/deployment-records';
import type { Instance } from '@hortus/contract/resources/instance-records';
import type { InstanceMetrics, InstanceReading } from '@hortus/contract/resources/metrics';
import { useApi } from '../../../api/query.ts';
import { memory } from '../../../parts/amount.ts';
import { useListSearch } from '../../../parts/list-search.ts';
import { Trouble } from '../../../parts/waiting.tsx';
import { Chart, type Mark } from './chart.tsx';
import { chosenRange, RANGES, shownSpan } from './range.ts';
import { rate, seriesOf } from './series.ts';

/**
 * CPU, memory and network over time, with the deployments on the time axis. The range is in the URL; a younger instance is shown
 * over the time that it has lived.
 */
export function Charts({
  instance,
  readings,
  deployments,
}: {
  instance: Instance;
  readings: readonly InstanceReading[];
  deployments: readonly Deployment[];
}) {
  const [search, change] = useListSearch('/frame/instances/$id');
  const { range } = chosenRange(search.range);
  const span = shownSpan(range, Date.parse(instance.created_at), Date.now());
  const query = useApi('metrics.instance', { params: { id: instance.id }, query: { range: span.range } });
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
        {metrics && <Three metrics={metrics} readings={readings} marks={marksOf(deployments)} span={span} />}
      </div>
    </div>
  );
}

function Three({
  metrics,
  readings,
  marks,
  span,
}: {
  metrics: InstanceMetrics;
  readings: readonly InstanceReading[];
  marks: readonly Mark[];
  span: ReturnType<typeof shownSpan>;
}) {
  const reading = readings.at(-1);
  const isMeasured = reading !== undefined && (reading.live || reading.components.length > 0);
  const series = seriesOf(metrics, isMeasured ? readings : metrics.latest ? [metrics.latest] : []);
  const { now } = series;
  const from = Math.max(Date.parse(metrics.from), span.from) / 1000;
  const shared = { xs: series.xs, marks, from, words: span.words };
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
