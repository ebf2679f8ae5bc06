import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { expectConsistentSite, shown } from '../docker/consistent-site.ts';
import { caddyOf, createAndDeploy, endCaddy, openInstallation, redeploy } from '../docker/installation.ts';

/** Before the rollout uses it, while it uses it, and after the switch to the new container. */
const MOMENTS = ['before create', 'before route', 'before drain'];

test('Caddy killed during a rollout is restarted and serves the right page', {
  timeout: 240_000,
}, async () => {
  await using installation = await openInstallation();
  const { engine } = installation;
  const note = join(installation.stateOf(), 'killed');
  const pidFile = join(installation.stateOf(), 'ingress/caddy.pid');
  const uid = 'stateless-caddyless';
  let daemon = installation.startDaemon({ killAt: 'never' });
  await installation.online();
  const inputs = { WEB_HOSTNAME: `${uid}.example.org` };
  const { definitionId } = await createAndDeploy(installation, uid, { species: 'stateless', inputs });
  for (const moment of MOMENTS) {
    await daemon.stop();
    writeFileSync(note, '');
    daemon = installation.startDaemon({ killAt: moment, killInstead: pidFile });
    await installation.online();
    const before = caddyOf(installation.stateOf());
    rmSync(note);
    const ended = await redeploy(installation, definitionId, { GREETING: moment });
    expect(ended, `${moment}: ${ended.error}`).toMatchObject({ status: 'success', gap_ms: 0 });
    await until(async () => (await shown(installation, uid)) === moment, { describe: 'the new page' });
    expect(caddyOf(installation.stateOf()), moment).not.toBe(before);
    await expectConsistentSite(installation, engine, uid, moment);
  }

  // Another process has the port: the deployment succeeds, and the log explains why the page is unreachable.
  const squatter = createServer();
  const squat = async () => {
    // Retries if the daemon has already started the next Caddy.
    endCaddy(installation.stateOf());
    squatter.listen(installation.httpPort);
    await once(squatter, 'listening');
    return true;
  };
  await until(squat, { describe: 'the port of the killed Caddy' });
  const ended = await redeploy(installation, definitionId, { GREETING: 'in vain' });
  squatter.close();
  expect(ended).toMatchObject({ status: 'success' });
  expect(ended.logs.map(({ message }) => message).join('\n')).toMatch(
    new RegExp(`${uid}\\.example\\.org is not reachable: .*address already in use.* the application listens at \\d`),
  );
  await until(async () => (await shown(installation, uid)) === 'in vain', { describe: 'the page to be back' });
});
