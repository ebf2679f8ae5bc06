import type { ServerReading } from '@hortus/contract/resources/metrics';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { openInstallation } from './installation.ts';
import { PAGE_IMAGE } from './test-species.ts';

const burner = `
slug: burner
name: Burner
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
command: [sh, -c, 'while :; do :; done']
stop_signal: SIGKILL
`;

test('a watcher sees the CPU of a real container about every 2 seconds, also after kill -9 of the daemon', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation({ species: { burner } });
  const daemon = installation.startDaemon();
  await installation.online();
  const { client } = installation.service;
  const body = { species: 'burner', instance_uid: 'burner-1', server_id: installation.serverId, inputs: {} };
  const definition_id = (await client.call('definitions.create', { body })).data.id;
  const { id } = (await client.call('deployments.execute', { body: { definition_id } })).data;
  await until(async () => (await client.call('deployments.read', { params: { id } })).data.status === 'success', {
    within: 120_000,
    describe: 'the deployment',
  });
  const leaving = new AbortController();
  const readings: ServerReading[] = [];
  const watching = (async () => {
    const call = { params: { id: installation.serverId }, signal: leaving.signal };
    for await (const { event, data } of client.stream('metrics.server', call))
      if (event === 'reading') readings.push(data as ServerReading);
  })();
  watching.catch(() => {});
  const live = () => readings.filter((reading) => reading.live);
  const cpu = (reading: ServerReading | undefined) => reading?.instances[0]?.components[0]?.cpu_percent ?? 0;
  await until(() => live().filter((item) => cpu(item) > 20).length >= 3, { within: 60_000, describe: 'live readings' });
  const times = live().map(({ at }) => Date.parse(at ?? ''));
  const pauses = times.slice(1).map((at, n) => at - (times[n] ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThan(1_000);
  await daemon.kill('SIGKILL');
  const before = live().length;
  installation.startDaemon();
  await until(() => live().length > before + 1 && cpu(live().at(-1)) > 20, {
    within: 120_000,
    describe: 'live readings of the new daemon',
  });
  leaving.abort();
  await watching.catch(() => {});
});
