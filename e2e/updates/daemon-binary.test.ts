import { statSync } from 'node:fs';
import type { UpdateReport } from '@hortus/contract/releases/daemon-update';
import { component } from '@hortus/daemon/plan/testing/manifests';
import { image } from '@hortus/daemon/rollout/testing/server';
import { action, request } from '@hortus/daemon/testing/actions';
import { DaemonProcess } from '@hortus/daemon/testing/daemon-process';
import { startLoad } from '@hortus/testkit/load';
import { freePort } from '@hortus/testkit/port';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, test } from 'vitest';
import { caddyOf, endCaddy, inside } from '../docker/installation.ts';
import { type Release, Releases } from './releases.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const PATH = '/implant/linux/amd64/download';
const UID = 'updated-page';

test('updates of the real binary keep containers, actions and every request through the ingress', {
  timeout: 600_000,
}, async () => {
  const folder = temporaryFolder('releases');
  undo.push(() => folder.remove());
  const releases = new Releases(folder.path);
  const installed = await releases.build('0.1.0');
  const next = await releases.build('0.2.0');
  // It starts and opens its journal, but asks the engine for something that does not exist.
  const broken = await releases.build('0.3.0', (code) => code.replaceAll('/containers/json', '/containers/nothing'));

  const httpPort = await freePort();
  const ports = ['--ingress-http', String(httpPort), '--ingress-https', String(await freePort())];
  const daemon = await DaemonProcess.start({ command: [installed.binary], options: ports });
  undo.push(async () => {
    endCaddy(daemon.stateDirectory);
    await daemon.close();
  });
  await daemon.connected();
  const { service, server } = daemon;
  const running = () => service.auths.at(-1)?.version;
  expect(running()).toBe('0.1.0');

  const host = 'updated.example.org';
  const command = ['sh', '-c', 'until [ -e /tmp/go ]; do sleep 0.1; done; echo survived'];
  const deployment = daemon.order(
    UID,
    [
      component('main', {
        image,
        init: true,
        command: ['httpd', '-f', '-p', '8080', '-h', '/www'],
        files: [{ mount_path: '/www/index.html', content: 'hello', mode: '0644' }],
      }),
    ],
    {
      actions: [action('wait', command)],
      routes: [
        {
          name: 'web',
          component: 'main',
          port: 8080,
          host,
          path: '/',
          strip: false,
          tls: 'off',
          primary: true,
          url: `http://${host}`,
        },
      ],
    },
  );
  expect(await daemon.reportOf(deployment)).toMatchObject({ status: 'success' });

  const load = startLoad({ port: httpPort, host });
  undo.push(() => load.stop());
  const served = async (more: number) => {
    const wanted = load.result.responded + more;
    await until(() => load.result.responded >= wanted, {
      describe: () => `answers; ${load.result.failures.at(-1)}\n${daemon.process.output}`,
    });
  };
  await served(20);
  load.result.failures.length = 0;
  const containers = async () =>
    (await server.engine.containers({ labels: { 'hortus.server': daemon.serverId } })).map(({ id }) => id);
  const before = await containers();
  const caddy = caddyOf(daemon.stateDirectory);
  expect(before).toHaveLength(1);
  const underWay = request('wait', command, {}, UID);
  service.send({ type: 'action_request', ...underWay });
  await until(() => service.said('action_started').length > 0, {
    describe: () => `the action\n${daemon.process.output}`,
  });

  let orders = 0;
  const outcome = async ({ binary, signature }: Release, release = signature): Promise<UpdateReport> => {
    service.files.set(PATH, binary);
    const update_id = `upd_${++orders}`;
    const size = statSync(binary).size;
    service.send({ type: 'daemon_update', update_id, path: PATH, size, release, trial_seconds: 120 });
    const reports = () => service.said('daemon_update_report').filter((report) => report.update_id === update_id);
    const final = () => reports().find(({ state }) => ['done', 'returned', 'refused'].includes(String(state)));
    const found = await until(final, { within: 180_000, describe: () => `the outcome\n${daemon.process.output}` });
    return found as unknown as UpdateReport;
  };
  const expectUntouched = async () => {
    await served(20);
    expect(load.result.failures).toEqual([]);
    expect(await containers()).toEqual(before);
    expect(caddyOf(daemon.stateDirectory)).toBe(caddy);
  };

  // The signature of another release.
  expect(await outcome(next, { ...next.signature, signature: broken.signature.signature })).toMatchObject({
    state: 'refused',
    reason: 'wrong_signature',
    message: expect.stringContaining('The signature of release 0.2.0'),
  });
  await expectUntouched();

  expect(await outcome(broken)).toMatchObject({
    state: 'returned',
    reason: 'unhealthy',
    running: '0.1.0',
    message: expect.stringContaining('Version 0.3.0 failed'),
  });
  expect(running()).toBe('0.1.0');
  await expectUntouched();

  expect(await outcome(next)).toMatchObject({ state: 'done', running: '0.2.0' });
  expect(running()).toBe('0.2.0');
  await expectUntouched();
  // The service manager's process is the new version.
  expect(daemon.process.running).toBe(true);

  // The action that began before both updates ends under the new version.
  await inside(server.engine, before[0] ?? '', 'touch', '/tmp/go');
  expect(await daemon.resultOf(underWay.execution_id)).toMatchObject({
    type: 'action_completed',
    output: 'survived\n',
  });

  // After a kill, the installed binary starts the new version.
  await daemon.kill();
  await daemon.connected();
  expect(running()).toBe('0.2.0');
  await expectUntouched();
});
