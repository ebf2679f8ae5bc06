import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, it } from 'vitest';
import { readConfig } from './config.ts';

it('a key file may contain all settings; options and the environment override it', async () => {
  await using folder = temporaryFolder('config');
  const file = join(folder.path, 'key.json');
  const known = { url: 'https://h.example.org', server_id: 'srv_1', api_key: 'hs_live_x', manifest_public_key: 'abc' };
  writeFileSync(file, JSON.stringify(known));
  expect(readConfig({ 'key-file': file }, {})).toEqual({
    url: 'https://h.example.org/api/v1',
    allowPlaintext: false,
    key: 'hs_live_x',
    serverId: 'srv_1',
    manifestPublicKey: 'abc',
    stateDirectory: '/var/lib/hortusd',
    backupDirectory: '/var/lib/hortusd/backups',
    backupBucket: undefined,
    dockerSocket: '/var/run/docker.sock',
    cluster: false,
    ingress: { caddy: undefined, httpPort: undefined, httpsPort: undefined },
    ingressImage: 'docker.io/library/caddy:2',
    tunnelImage: 'docker.io/library/haproxy:lts',
    networkPool: undefined,
    driftEveryMs: 120_000,
    logs: { maxBytes: 20 * 1024 ** 2, maxAgeMs: 7 * 86_400_000 },
    logLevel: 'info',
  });
  const overrides = { 'key-file': file, url: 'http://x/api/v1/', 'allow-plaintext': true, 'state-dir': '/s' };
  expect(readConfig(overrides, { HORTUSD_KEY: 'hs_live_y', HORTUSD_DOCKER_SOCKET: '/d' })).toMatchObject({
    url: 'http://x/api/v1',
    key: 'hs_live_y',
    stateDirectory: '/s',
    dockerSocket: '/d',
  });
  writeFileSync(file, 'hs_live_z\n');
  expect(readConfig({ 'key-file': file, url: 'https://x' }, {}).key).toBe('hs_live_z');
});

it('missing and invalid settings are reported without the key', () => {
  expect(() => readConfig({}, {})).toThrow('--url');
  expect(() => readConfig({ url: 'https://x' }, {})).toThrow('HORTUSD_KEY');
  expect(() => readConfig({ url: 'x' }, { HORTUSD_KEY: 'k' })).toThrow('address such as');
  expect(() => readConfig({ 'key-file': '/no/such/file' }, {})).toThrow('/no/such/file');
  expect(() => readConfig({ url: 'https://x', 'log-level': 'loud' }, { HORTUSD_KEY: 'k' })).toThrow('--log-level');
  expect(() => readConfig({ url: 'https://x', 'drift-every': '0' }, { HORTUSD_KEY: 'k' })).toThrow('--drift-every');
  expect(() => readConfig({ url: 'https://x', 's3-region': 'eu' }, { HORTUSD_KEY: 'k' })).toThrow('--s3-bucket');
  const twice = { HORTUSD_KEY: 'k', HORTUSD_S3_ACCESS_KEY_ID: 'a', HORTUSD_S3_SECRET_ACCESS_KEY: 'b' };
  expect(() => readConfig({ url: 'https://x', 's3-bucket': 'backups', 'backup-dir': '/b' }, twice)).toThrow(
    '--backup-dir',
  );
});

it('the server key is sent only over TLS or to this machine, unless --allow-plaintext is set', () => {
  const url = (address: string, more = {}, env = {}) =>
    readConfig({ url: address, ...more }, { HORTUSD_KEY: 'hs_live_x', ...env }).allowPlaintext;
  for (const safe of ['https://h.example.org', 'http://localhost:8420', 'http://127.0.0.1:8420', 'http://[::1]:8420'])
    expect(url(safe)).toBe(false);
  for (const open of [
    'http://h.example.org',
    'http://10.0.0.1:8420',
    'http://localhost.example.org',
    'http://127.0.0.1.example.org',
    'http://127.0.0.1@h.example.org',
    'http://[::ffff:10.0.0.1]',
  ]) {
    expect(() => url(open)).toThrow('--allow-plaintext');
    expect(url(open, { 'allow-plaintext': true })).toBe(true);
    expect(url(open, {}, { HORTUSD_ALLOW_PLAINTEXT: 'true' })).toBe(true);
  }
  expect(() => url('http://10.0.0.1', {}, { HORTUSD_ALLOW_PLAINTEXT: 'yes' })).toThrow('HORTUSD_ALLOW_PLAINTEXT');
});
