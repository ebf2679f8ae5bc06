import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, expect, it } from 'vitest';

const grafana = join(import.meta.dirname, '../../../../docs/grafana');
const rules = join(grafana, 'alerts.yml');
const folder = temporaryFolder('prometheus');
afterAll(folder.remove);

/** Resolves with the output of Prometheus' own tool; rejects with it if that finds a mistake. */
async function promtool(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('promtool', args).catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

/** JSON is YAML. */
function write(name: string, content: object): string {
  const path = join(folder.path, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

/** Values of a series: one for each minute, in the notation of promtool. */
type Series = Readonly<Record<string, string>>;

const healthy: Series = {
  'up{job="hortus",instance="a"}': '1x60',
  'hortus_daemons_connected{instance="a"}': '10x60',
  'hortus_outbox_lag_seconds{instance="a"}': '0x60',
  'hortus_jobs_late{instance="a",kind="heal"}': '0x60',
  'hortus_jobs_queued{instance="a",kind="heal"}': '3x60',
  'hortus_deployments{instance="a",state="failed"}': '1x60',
  'hortus_deployments{instance="a",state="success"}': '20x60',
  'hortus_database_seconds_bucket{instance="a",operation="write",le="0.5"}': '0+60x60',
  'hortus_database_seconds_bucket{instance="a",operation="write",le="1"}': '0+60x60',
  'hortus_database_seconds_bucket{instance="a",operation="write",le="+Inf"}': '0+60x60',
  'hortus_http_requests_total{instance="a",status="200"}': '0+100x60',
  'hortus_http_requests_total{instance="a",status="500"}': '0+1x60',
  'nodejs_eventloop_lag_p99_seconds{instance="a"}': '0.01x60',
};

/** What happens when each alert should fire; `_` is a series that ends. */
const troubles: Readonly<Record<string, Series>> = {
  HortusDown: { 'up{job="hortus",instance="a"}': '1x10 0x50' },
  HortusDatabaseFiguresMissing: { 'hortus_outbox_lag_seconds{instance="a"}': '0x10 _x50' },
  HortusOutboxLag: { 'hortus_outbox_lag_seconds{instance="a"}': '0x10 120x50' },
  HortusJobsLate: { 'hortus_jobs_late{instance="a",kind="heal"}': '0x10 2x50' },
  HortusQueueGrows: { 'hortus_jobs_queued{instance="a",kind="heal"}': '3x10 2000x50' },
  HortusNoDaemons: { 'hortus_daemons_connected{instance="a"}': '10x10 0x50' },
  HortusDaemonsLost: { 'hortus_daemons_connected{instance="a"}': '10x10 7x50' },
  HortusDeploymentsFail: { 'hortus_deployments{instance="a",state="failed"}': '1x10 30x50' },
  HortusDatabaseSlow: { 'hortus_database_seconds_bucket{instance="a",operation="write",le="0.5"}': '0+50x60' },
  HortusErrors: { 'hortus_http_requests_total{instance="a",status="500"}': '0+1x10 10+20x50' },
  HortusEventLoopBlocked: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': '0.01x10 0.4x50' },
};

const testOf = (series: Series, expr: string, exp_samples: readonly object[]) => ({
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  promql_expr_test: [{ expr, eval_time: '40m', exp_samples }],
});

it('Prometheus accepts the alert rules', async () => {
  expect(await promtool('check', 'rules', rules)).toContain('SUCCESS');
});

it('each alert fires when what it names happens, and none while everything is well', async () => {
  const named = [...readFileSync(rules, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  expect(Object.keys(troubles)).toEqual(named);
  const fires = Object.entries(troubles).map(([alert, trouble]) =>
    testOf({ ...healthy, ...trouble }, `count(ALERTS{alertname="${alert}",alertstate="firing"})`, [
      { labels: '{}', value: 1 },
    ]),
  );
  const file = write('test.yml', {
    rule_files: [rules],
    evaluation_interval: '1m',
    tests: [testOf(healthy, 'count(ALERTS)', []), ...fires],
  });
  expect(await promtool('test', 'rules', file)).toContain('SUCCESS');
});

it('the expressions of the dashboard are valid', async () => {
  const text = readFileSync(join(grafana, 'dashboard.json'), 'utf8');
  const { panels } = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] };
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(10);
  const recorded = expressions.map((expr, n) => ({ record: `dashboard:${n}`, expr }));
  const file = write('dashboard.yml', { groups: [{ name: 'dashboard', rules: recorded }] });
  expect(await promtool('check', 'rules', file)).toContain('SUCCESS');
});
