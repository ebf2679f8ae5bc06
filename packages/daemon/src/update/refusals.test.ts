import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { UpdateOrder, UpdateReport } from '@hortus/contract/releases/daemon-update';
import { openLog } from '@hortus/logging/log';
import { smallDisk } from '@hortus/testkit/small-disk';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { localReleaseFile } from './check-release.ts';
import { sha256Of } from './checksum.ts';
import { ReleaseSigner } from './testing/release-signer.ts';
import { UpdateStore } from './update-record.ts';
import { Updater, type UpdaterOptions } from './updater.ts';

const signer = new ReleaseSigner();
let folder: TemporaryFolder;
let published: string;
let server: Server;
let reports: UpdateReport[];
let orders = 0;

beforeEach(async () => {
  folder = temporaryFolder('refusals');
  published = join(folder.path, 'published');
  writeFileSync(published, '#!/bin/sh\necho 1.1.0\n');
  reports = [];
  server = createServer((_, response) => response.end(execFileSync('cat', [published])));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await folder.remove();
});

function updater(change: Partial<UpdaterOptions> = {}, state = join(folder.path, 'state')): Updater {
  return new Updater({
    store: new UpdateStore(state),
    version: '1.0.0',
    binary: '/usr/local/bin/hortusd',
    keys: [signer.publicKey],
    service: { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'hs_test_key' },
    channel: { send: (report) => reports.push(report) },
    quiet: async () => undefined,
    handOver: () => undefined,
    log: openLog({ level: 'silent' }),
    ...change,
  });
}

async function order(change: Partial<UpdateOrder['release']> = {}, by = signer): Promise<UpdateOrder> {
  const facts = { file: localReleaseFile(), version: '1.1.0', sha256: await sha256Of(published), ...change };
  const size = execFileSync('cat', [published]).length;
  return { update_id: `upd_${++orders}`, path: '/implant/linux/amd64/download', size, release: by.sign(facts) };
}

const outcome = ({ update_id }: UpdateOrder) =>
  until(
    () =>
      reports.find((report) => report.update_id === update_id && !['downloading', 'verified'].includes(report.state)),
    {
      describe: () => `an outcome: ${JSON.stringify(reports)}`,
    },
  );

async function refusal(overrides: UpdateOrder, by = updater()): Promise<UpdateReport> {
  by.order(overrides);
  const found = await outcome(overrides);
  await by.stop();
  return found;
}

it('a good order is downloaded, verified and handed over', async () => {
  const handed: string[] = [];
  const by = updater({ handOver: ({ version }) => handed.push(version) });
  const overrides = await order();
  expect(await refusal(overrides, by)).toMatchObject({ state: 'trying', version: '1.1.0', running: '1.0.0' });
  expect(handed).toEqual(['1.1.0']);
});

it('a daemon from source refuses', async () => {
  const found = await refusal(await order(), updater({ binary: undefined }));
  expect(found).toMatchObject({
    state: 'refused',
    reason: 'from_source',
    message: expect.stringContaining('runs from source'),
  });
});

it('a daemon that a package installed refuses and names the command', async () => {
  for (const binary of ['/usr/bin/hortusd', '/usr/lib/hortus/hortusd']) {
    const found = await refusal(await order(), updater({ binary }));
    expect(found).toMatchObject({ reason: 'packaged', message: expect.stringContaining('apt install hortus') });
  }
});

it('a daemon without a release key refuses', async () => {
  expect(await refusal(await order(), updater({ keys: [] }))).toMatchObject({ reason: 'no_release_key' });
});

it('a wrong signature is refused by name, before anything is downloaded', async () => {
  const good = await order();
  const forged = { ...good, release: { ...good.release, version: '9.0.0' } };
  expect(await refusal(forged)).toMatchObject({
    state: 'refused',
    reason: 'wrong_signature',
    message: expect.stringContaining('The signature of release 9.0.0'),
  });
  expect(readdirSync(join(folder.path, 'state/update'))).toEqual(['record.json']);
});

it('an unknown key is refused, one of several known keys is accepted', async () => {
  const next = new ReleaseSigner();
  expect(await refusal(await order({}, next))).toMatchObject({
    reason: 'unknown_key',
    message: expect.stringMatching(/signed with key [0-9a-f]{16}; this daemon trusts [0-9a-f]{16}/),
  });
  const both = updater({ keys: [signer.publicKey, next.publicKey] });
  expect(await refusal(await order({}, next), both)).toMatchObject({ state: 'trying' });
});

it('the signature covers the key id', async () => {
  const good = await order();
  const { key_id: _, ...unnamed } = good.release;
  expect(await refusal({ ...good, release: unnamed })).toMatchObject({ reason: 'wrong_signature' });
});

it('a release below the minimum of the policy is refused, also as a downgrade that the service allows', async () => {
  const by = () => updater({ minimum: '0.9.0' });
  const lured = { ...(await order({ version: '0.8.9' })), allow_downgrade: true };
  expect(await refusal(lured, by())).toMatchObject({
    state: 'refused',
    reason: 'below_minimum',
    message: expect.stringContaining('older than 0.9.0, the min_daemon_version of policy.yaml'),
  });
  expect(await refusal(await order(), by())).toMatchObject({ state: 'trying' });
});

it('another platform, version, size or content is refused', async () => {
  expect(await refusal(await order({ file: 'hortusd-linux-riscv64' }))).toMatchObject({ reason: 'other_platform' });
  expect(await refusal(await order({ version: '0.9.0' }))).toMatchObject({ reason: 'older_version' });
  expect(await refusal(await order({ version: '1.2.0' }))).toMatchObject({
    reason: 'other_version',
    message: 'The binary reports version 1.1.0, but its release is 1.2.0.',
  });
  expect(await refusal({ ...(await order()), size: 5 })).toMatchObject({ reason: 'wrong_size' });
  expect(await refusal(await order({ sha256: '0'.repeat(64) }))).toMatchObject({ reason: 'wrong_checksum' });
});

it('a file that cannot be executed is refused', async () => {
  writeFileSync(published, '\x7fELF of another processor');
  expect(await refusal(await order())).toMatchObject({ state: 'refused', reason: 'not_executable' });
});

it('a second order is refused while one is under way, and a repeated one is answered', async () => {
  const by = updater({ quiet: () => new Promise(() => undefined) });
  const first = await order();
  by.order(first);
  await until(() => reports.some(({ state }) => state === 'verified'), { describe: 'the verified release' });
  const second = await order();
  by.order(second);
  expect(reports.at(-1)).toMatchObject({ update_id: second.update_id, state: 'refused', reason: 'busy' });
  by.order(first);
  expect(reports.at(-1)).toMatchObject({ update_id: first.update_id, state: 'verified' });
});

it('a disk that is too full or read-only is named', async () => {
  const disk = smallDisk(join(folder.path, 'disk'), 8);
  try {
    expect(await refusal(await order(), updater({}, disk.path))).toMatchObject({
      reason: 'disk_full',
      message: expect.stringContaining('Free space there.'),
    });
    execFileSync('mount', ['-o', 'remount,ro', disk.path]);
    expect(await refusal(await order(), updater({}, disk.path))).toMatchObject({
      state: 'refused',
      reason: 'read_only',
    });
  } finally {
    disk[Symbol.dispose]();
  }
});

it('a folder that is a file is named', async () => {
  const state = join(folder.path, 'state');
  mkdirSync(state);
  writeFileSync(join(state, 'update'), '');
  expect(await refusal(await order(), updater({}, state))).toMatchObject({ state: 'refused', reason: 'read_only' });
});
