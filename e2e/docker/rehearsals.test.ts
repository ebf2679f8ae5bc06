import type { Rehearsal } from '@hortus/contract/resources/rehearsals';
import { startLoad } from '@hortus/testkit/load';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  act,
  createAndDeploy,
  ended,
  type Installation,
  inside,
  openInstallation,
  openInstallationWithDaemon,
} from './installation.ts';
import { deployFirst, ledger, upgradeTo } from './ledger.ts';
import { openOutside } from './outside.ts';
import { testUnlessOnSwarm } from './unless-on-swarm.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallationWithDaemon();
});
afterAll(() => installation?.[Symbol.asyncDispose]());

const rehearse = async (at: Installation, id: string, body = {}) =>
  (await at.service.client.call('upgrades.rehearse', { params: { id }, body })).data;

/** Waits for a state; while the service is down it is asked again. */
function become(at: Installation, { id }: Rehearsal, what: Rehearsal['status'] | 'removed') {
  const poll = async () => {
    const response = await at.service.client.call('rehearsals.read', { params: { id } }).catch(() => undefined);
    const rehearsal = response?.data;
    if (rehearsal === undefined) return undefined;
    if (rehearsal.status === what || (what === 'removed' && rehearsal.removed)) return rehearsal;
    if (rehearsal.finished_at !== null && what !== 'removed')
      throw new Error(`It is ${rehearsal.status}: ${rehearsal.error}\n${rehearsal.last_lines.join('\n')}`);
    return undefined;
  };
  return until(poll, { describe: `${id} to be ${what}`, within: 180_000 });
}

const containerNameOf = async (at: Installation, id: string) =>
  (await at.service.client.call('definitions.read', { params: { id } })).data.container_name;

/** Lists everything on the engine that has the name of a copy. */
async function leftOf(at: Installation, { copy_definition_id }: Rehearsal): Promise<string[]> {
  const labels = { 'hortus.instance': await containerNameOf(at, copy_definition_id) };
  const { engine } = at;
  const found = await Promise.all([
    engine.containers({ labels }),
    engine.volumes({ labels }),
    engine.networks({ labels }),
  ]);
  return found.flat().map(({ name }) => name);
}

const idsOf = async (at: Installation, uid: string) =>
  (await at.engine.containers({ labels: { 'hortus.instance': uid } })).map(({ id }) => id);

test('an upgrade whose migration fails on the real data fails its rehearsal, and the instance is not touched', {
  timeout: 300_000,
}, async () => {
  const deployed = await deployFirst(installation, 'ledger-bad', 'bad');
  const id = await upgradeTo(installation, ledger('ledger-bad', { version: '1.1.0', migration: true }), deployed);
  // The same version starts with an empty database.
  const empty = { species: 'ledger-bad', inputs: { WEB_HOSTNAME: 'ledger-empty.example.org' } };
  await createAndDeploy(installation, 'ledger-empty', empty);
  expect(await inside(installation.engine, 'ledger-empty', 'cat', '/data/rows')).toBe('migrated\n');

  const before = await idsOf(installation, 'ledger-bad');
  const load = startLoad({ port: installation.httpPort, host: 'ledger-bad.example.org' });
  await until(() => load.result.responded > 0, { describe: 'the first answer' });
  // A dump does not stop the application, so a backup is made without being asked for.
  const begun = await rehearse(installation, id);
  const end = await become(installation, begun, 'removed');
  expect(end).toMatchObject({ status: 'failed', reason: 'deployment', data_bytes: 4 });
  expect(end.last_lines).toContain('this row cannot be migrated');
  expect(end.error).toMatch(/migrate/);
  expect(end.durations_ms).toMatchObject({ backup: expect.any(Number), restore: expect.any(Number), test: null });

  const { failures, responded } = await load.stop();
  expect(failures).toEqual([]);
  expect(responded).toBeGreaterThan(50);
  expect(await idsOf(installation, 'ledger-bad')).toEqual(before);
  expect(await inside(installation.engine, 'ledger-bad', 'cat', '/data/rows')).toBe('bad\n');
  expect(await leftOf(installation, end)).toEqual([]);
  const { data } = await installation.service.client.call('upgrades.read', { params: { id } });
  expect(data).toMatchObject({ status: 'available' });
});

test('an upgrade is applied after its rehearsal on a copy of the volumes has passed', {
  timeout: 300_000,
}, async () => {
  const { client } = installation.service;
  const deployed = await deployFirst(installation, 'ledger-good', 'good', { backup: 'volume' });
  const source = ledger('ledger-good', { version: '1.1.0', backup: 'volume', migration: true });
  const id = await upgradeTo(installation, source, deployed);
  await expect(rehearse(installation, id)).rejects.toMatchObject({ message: expect.stringContaining('fresh_backup') });
  const { execution } = await client.call('backups.create', { params: { id: deployed.instanceId } });
  await ended(installation, execution.id);
  const before = await idsOf(installation, 'ledger-good');
  const { data: begun } = await client.call('upgrades.apply', { params: { id }, body: { rehearse: true } });
  expect(begun).toMatchObject({ status: 'applying', step: 'upgrade_rehearse' });
  const rehearsal = (await client.call('rehearsals.read', { params: { id: begun.rehearsal_id ?? '' } })).data;
  const passed = await become(installation, rehearsal, 'passed');
  expect(passed.output).toContain('/data/rows');
  const read = async () => (await client.call('upgrades.read', { params: { id } })).data;
  const over = async () => ((await read()).status === 'applying' ? undefined : await read());
  const upgrade = await until(over, { describe: 'the end of the upgrade', within: 120_000 });
  expect(upgrade, upgrade.error ?? '').toMatchObject({ status: 'applied' });
  expect(await idsOf(installation, 'ledger-good')).not.toEqual(before);
  expect(await inside(installation.engine, 'ledger-good', 'cat', '/data/rows')).toBe('good\nmigrated\n');
  await become(installation, rehearsal, 'removed');
  expect(await leftOf(installation, rehearsal)).toEqual([]);
});

testUnlessOnSwarm(
  'a clone has the data of its instance but no way out, neither by address nor by name',
  {
    timeout: 300_000,
  },
  async () => {
    await using outside = await openOutside();
    const { engine, service } = installation;
    const NAME_SERVER = outside.address;
    const deployed = await deployFirst(installation, 'ledger-shut', 'kept', { NAME_SERVER });
    const body = { inputs: { GREETING: 'changed' } };
    const { data: clone } = await service.client.call('rehearsals.clone', {
      params: { id: deployed.instanceId },
      body,
    });
    await become(installation, clone, 'passed');
    const copy = await containerNameOf(installation, clone.copy_definition_id);
    expect(await inside(engine, copy, 'cat', '/data/rows', '/www/index.html')).toBe('kept\nchanged');
    expect(await inside(engine, 'ledger-shut', 'cat', '/www/index.html')).toBe('hello');

    const { hostname, port } = new URL(outside.url);
    const fetch = (container: string) =>
      inside(
        engine,
        container,
        'sh',
        '-c',
        `printf 'GET /${container} HTTP/1.0\r\n\r\n' | nc -w 5 ${hostname} ${port} 2>&1`,
      );
    expect(await fetch('ledger-shut')).toContain('outside');
    expect(await fetch(copy)).not.toContain('outside');
    const lookUp = (container: string) =>
      inside(engine, container, 'sh', '-c', `nslookup ${container}.hortus-test.org 2>&1`);
    expect(await lookUp('ledger-shut')).toContain(outside.address);
    expect(await lookUp(copy)).not.toContain(outside.address);
    expect([...outside.names]).toEqual(['ledger-shut.hortus-test.org']);
    expect([...outside.paths]).toEqual(['/ledger-shut']);
    // Its own name, on the network that it shares with its other components, is still found.
    expect(await inside(engine, copy, 'nslookup', 'ledger-shut-main')).toMatch(/Address.*\d+\.\d+\.\d+\.\d+/);

    const executed = await act(installation, clone.copy_instance_id, 'dump');
    expect(await ended(installation, executed)).toMatchObject({ status: 'completed', output: 'kept\n' });
    await service.client.call('rehearsals.remove', { params: { id: clone.id } });
    await become(installation, clone, 'removed');
    expect(await leftOf(installation, clone)).toEqual([]);
  },
);

test('after kill -9 of daemon and service a rehearsal still ends, and nothing of its copy is left', {
  timeout: 300_000,
}, async () => {
  await using own = await openInstallation();
  const first = own.startDaemon({ killAt: 'removed for a restore' });
  await own.online();
  const deployed = await deployFirst(own, 'ledger-hardy', 'good');
  const id = await upgradeTo(own, ledger('ledger-hardy', { version: '1.1.0', migration: true }), deployed);
  const before = await idsOf(own, 'ledger-hardy');
  const rehearsal = await rehearse(own, id);
  // Killed while it fills the copy.
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await own.restartService();
  const second = own.startDaemon();
  await become(own, rehearsal, 'applying');
  await own.restartService();
  await second.kill('SIGKILL');
  own.startDaemon();
  const end = await become(own, rehearsal, 'removed');
  expect(end, end.error ?? '').toMatchObject({ status: 'passed' });
  expect(await leftOf(own, end)).toEqual([]);
  expect(await idsOf(own, 'ledger-hardy')).toEqual(before);
});
