import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { upgrades } from '../upgrade.ts';

export function monitoring(catalog: Catalog): void {
  catalogTest(
    'the Prometheus stack keeps samples and silences after a loss and an upgrade',
    {
      timeout: 600_000,
    },
    async () => {
      const rules = '- name: beds\n  rules:\n  - {alert: Dry, expr: vector(1), labels: {severity: info}}';
      const inputs = { WEB_HOSTNAME: 'monitoring.example.org', SCRAPE_SECONDS: 5, RULES: rules };
      const deployed = await deploySpecies(catalog(), 'prometheus-stack', inputs);
      const { username, password } = deployed.provided('metrics.prometheus');
      const headers = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
      const ask = async (component: string, port: number, path: string, body?: object) => {
        const sent = body && {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { ...headers, 'content-type': 'application/json' },
        };
        const response = await fetch(`http://${await deployed.address(component)}:${port}${path}`, {
          headers,
          ...sent,
        });
        expect(response.status, path).toBe(200);
        return JSON.parse(await response.text());
      };
      const value = async (query: string) => {
        const path = `/prometheus/api/v1/query?query=${encodeURIComponent(query)}`;
        return (await ask('prometheus', 9090, path)).data.result[0]?.value[1];
      };
      /** Reads stored samples: a subquery sees them only from the next multiple of its step on. */
      const firstSampleAt = async () => {
        const path = `/prometheus/api/v1/query?query=${encodeURIComponent('up{job="node"}[1d]')}`;
        const series: { values: [number, string][] }[] = (await ask('prometheus', 9090, path)).data.result;
        return Math.min(...series.map(({ values }) => (values[0]?.[0] ?? Number.NaN) * 1000));
      };
      const alerts = async () => JSON.stringify(await ask('alertmanager', 9093, '/alertmanager/api/v2/alerts'));
      await until(async () => (await value('count(up == 1)')) === '3', { describe: 'three targets', within: 120_000 });
      expect(Number(await value('node_memory_MemTotal_bytes'))).toBeGreaterThan(2 ** 28);
      await until(async () => (await alerts()).includes('"alertname":"Dry"'), {
        describe: 'the alert',
        within: 120_000,
      });

      const matchers = [{ name: 'alertname', value: 'Dry', isRegex: false, isEqual: true }];
      const [startsAt, endsAt] = [new Date(), new Date(Date.now() + 86_400_000)].map((time) => time.toISOString());
      const silence = { matchers, startsAt, endsAt, createdBy: 'gardener', comment: 'it rains' };
      const { silenceID } = await ask('alertmanager', 9093, '/alertmanager/api/v2/silences', silence);
      const read = async () => {
        const kept = await ask('alertmanager', 9093, `/alertmanager/api/v2/silence/${silenceID}`);
        const hasOldSamples = (await firstSampleAt()) < Date.parse(startsAt ?? '');
        return `${kept.comment} ${kept.status.state} ${hasOldSamples}`;
      };
      expect(await read()).toBe('it rains active true');
      const change = async () => {
        const address = `http://${await deployed.address('alertmanager')}:9093`;
        await fetch(`${address}/alertmanager/api/v2/silence/${silenceID}`, { method: 'DELETE', headers });
        expect(await read()).toBe('it rains expired true');
      };
      await survivesLoss(catalog(), deployed, { read, change });
      await upgrades(catalog(), deployed);
      expect(await read()).toBe('it rains active true');
      await runActions(deployed);
      await deployed.checkAndRelease(['reset-grafana-password']);
    },
  );

  async function runActions(deployed: DeployedSpecies): Promise<void> {
    expect(await deployed.run('check-config')).toContain('SUCCESS');
    expect(await deployed.run('check-alerts')).toContain('SUCCESS');
    // After a restart it evaluates rules and visits targets at its next turn.
    await until(async () => (await deployed.run('alerts')).includes('Dry'), { describe: 'the alert' });
    await until(async () => (await deployed.run('targets')).includes('"health":"up"'), {
      describe: 'a healthy target',
    });
    await deployed.run('test-alert');
  }
}
