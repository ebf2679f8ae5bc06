import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startMailServer } from '@hortus/testkit/mail-server';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import {
  createAndDeploy,
  deploy,
  ended,
  finished,
  inside,
  openInstallationWithDaemon,
  redeploy,
} from './installation.ts';
import { page } from './test-species.ts';

/** A page that ends when it is told to. Docker does not restart it, so it stays dead until a user starts it. */
const mortal = page('mortal', 'restart: "no"').replace(
  /^command: .*$/m,
  'command: [sh, -c, "rm -f /tmp/die; httpd -f -p 8080 -h /www & until [ -e /tmp/die ]; do sleep 0.1; done; exit 7"]',
);

/** Lets what alerts are about have begun earlier, as if the time had passed. */
function beginEarlier(directory: string, ms: number): void {
  const database = new DatabaseSync(join(directory, 'hortus.db'), { timeout: 10_000 });
  database.prepare('update alerts set since = since - ?').run(ms);
  database.close();
}

test('a container that dies is reported by mail with what to do and a link, and so is its recovery', {
  timeout: 300_000,
}, async () => {
  await using mail = await startMailServer();
  const publicUrl = 'https://hortus.example.org';
  await using installation = await openInstallationWithDaemon({
    species: { mortal },
    env: {
      HORTUS_SMTP_URL: mail.url,
      HORTUS_MAIL_FROM: 'Hortus <hortus@example.org>',
      HORTUS_PUBLIC_URL: publicUrl,
      HORTUS_ALERT_WATCH_SECONDS: '5',
      HORTUS_ALERT_GROUP_SECONDS: '1',
    },
  });
  const { client } = installation.service;
  const to = ['ops@example.org'];
  await client.call('notifications.createChannel', { body: { type: 'email', name: 'ops', to } });
  // The shortest time that a rule can demand; it is shortened further below.
  const { data: rules } = await client.call('notifications.rules', { query: { per_page: 100 } });
  const id = rules.find(({ kind }) => kind === 'instance_unhealthy')?.id ?? '';
  await client.call('notifications.updateRule', { params: { id }, body: { minutes: 1 } });

  const { instanceId } = await createAndDeploy(installation, 'shop', {
    species: 'mortal',
    inputs: { WEB_HOSTNAME: 'shop.example.org' },
  });
  await inside(installation.engine, 'shop', 'touch', '/tmp/die');
  const pending = () => client.call('notifications.alerts', { query: { status: 'pending' } });
  await until(async () => (await pending()).data.length === 1, { describe: 'the pending alert' });
  beginEarlier(installation.directory, 60_000);

  const mailWith = (text: string) =>
    until(() => mail.mails().find((mail) => mail.includes(text)), {
      within: 150_000,
      describe: () => `a mail with ${text}; received: ${JSON.stringify(mail.mails())}`,
    });
  const alert = await mailWith('Subject: Alert: Instance shop has failed');
  expect(alert).toMatch(/^To: ops@example\.org$/m);
  expect(alert).toContain(`To do: hortus instances show ${instanceId}`);
  expect(alert).toContain(publicUrl);
  expect(mail.mails()).toHaveLength(1);

  const { execution } = await client.call('instances.start', { params: { id: instanceId } });
  expect(await ended(installation, execution.id)).toMatchObject({ status: 'completed' });
  const over = await mailWith('Subject: Resolved: Instance shop has failed');
  expect(over).toContain(publicUrl);
  expect(mail.mails()).toHaveLength(2);
  const { data: deliveries } = await client.call('notifications.deliveries', {});
  expect(deliveries.map(({ status, response_code }) => [status, response_code])).toEqual([
    ['delivered', 250],
    ['delivered', 250],
  ]);
});

test('a deployment whose container dies is reported by mail at once, and the next success too', {
  timeout: 300_000,
}, async () => {
  await using mail = await startMailServer();
  const broken = page('broken', 'restart: "no"').replace(
    /^command: .*$/m,
    'command: [sh, -c, "echo no $GREETING; [ \\"$GREETING\\" = well ] || exit 3; exec httpd -f -p 8080 -h /www"]\nenv: {GREETING: "${inputs.GREETING}"}',
  );
  await using installation = await openInstallationWithDaemon({
    species: { broken },
    env: { HORTUS_SMTP_URL: mail.url, HORTUS_ALERT_GROUP_SECONDS: '1' },
  });
  const { client } = installation.service;
  const to = ['ops@example.org'];
  await client.call('notifications.createChannel', { body: { type: 'email', name: 'ops', to } });
  const inputs = { WEB_HOSTNAME: 'blog.example.org', GREETING: 'ill' };
  const body = { species: 'broken', instance_uid: 'blog', server_id: installation.serverId, inputs, watch_seconds: 0 };
  const { data: definition } = await client.call('definitions.create', { body });
  const deploymentId = await deploy(installation, definition.id);
  expect(await finished(installation, deploymentId)).toMatchObject({ status: 'failed' });
  await mail.waitFor(`To do: hortus logs --deployment ${deploymentId}`);
  expect(await redeploy(installation, definition.id, { GREETING: 'well' })).toMatchObject({ status: 'success' });
  await mail.waitFor('Subject: Resolved: The deployment of blog has failed');
});
