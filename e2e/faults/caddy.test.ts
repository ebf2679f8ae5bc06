import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { caddyOf, endCaddy, openGarden, plant, redeploy } from '../docker/garden.ts';
import { expectWhole, shown } from '../docker/whole.ts';

/** Before it is needed, when it is needed next, and when it should lead to the new one already. */
const MOMENTS = ['before create', 'before route', 'before drain'];

test('Caddy killed in the middle of a rollout is started again and leads to the right page', {
  timeout: 240_000,
}, async () => {
  await using garden = await openGarden();
  const { engine } = garden;
  const note = join(garden.stateOf(), 'killed');
  const pidFile = join(garden.stateOf(), 'ingress/caddy.pid');
  const uid = 'meadow-caddyless';
  let daemon = garden.startDaemon({ killAt: 'never' });
  await garden.online();
  const inputs = { WEB_HOSTNAME: `${uid}.example.org` };
  const { definitionId } = await plant(garden, uid, { species: 'meadow', inputs });
  for (const moment of MOMENTS) {
    await daemon.stop();
    writeFileSync(note, '');
    daemon = garden.startDaemon({ killAt: moment, killInstead: pidFile });
    await garden.online();
    const before = caddyOf(garden.stateOf());
    rmSync(note);
    const ended = await redeploy(garden, definitionId, { GREETING: moment });
    expect(ended, `${moment}: ${ended.error}`).toMatchObject({ status: 'success', gap_ms: 0 });
    await until(async () => (await shown(garden, uid)) === moment, { describe: 'the new page' });
    expect(caddyOf(garden.stateOf()), moment).not.toBe(before);
    await expectWhole(garden, engine, uid, moment);
  }

  // Somebody else has the port: it is deployed all the same, and the log says why nobody gets there.
  const squatter = createServer();
  const squat = async () => {
    // Again if the daemon was quicker than we are, and has started the next one.
    endCaddy(garden.stateOf());
    squatter.listen(garden.httpPort);
    await once(squatter, 'listening');
    return true;
  };
  await until(squat, { describe: 'the port of the killed Caddy' });
  const ended = await redeploy(garden, definitionId, { GREETING: 'in vain' });
  squatter.close();
  expect(ended).toMatchObject({ status: 'success' });
  expect(ended.logs.map(({ message }) => message).join('\n')).toMatch(
    new RegExp(`${uid}\\.example\\.org leads nowhere: .*address already in use.* it is reached at \\d`),
  );
  await until(async () => (await shown(garden, uid)) === 'in vain', { describe: 'the page to be back' });
});
