import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { describe, expect, it } from 'vitest';
import { defaultQuotas } from '../quotas/limits.ts';
import { ConfigError, describeConfig, readConfig } from './config.ts';

const nowhere = '/nowhere';
const key = `hk_live_${'a'.repeat(43)}`;

describe('settings', () => {
  it('have defaults for everything', () => {
    expect(readConfig({}, nowhere)).toEqual({
      host: '127.0.0.1',
      port: 8420,
      publicUrl: 'http://127.0.0.1:8420',
      allowedHosts: [],
      mode: 'live',
      dataDirectory: '/nowhere/.hortus',
      databaseUrl: undefined,
      databaseReads: 'primary',
      catalogDirectory: expect.stringMatching(/\/catalog$/),
      consoleDirectory: expect.stringMatching(/\/dist\/console$/),
      agentDirectories: ['/nowhere/.hortus/agents', expect.stringMatching(/\/dist$/)],
      adminKey: undefined,
      adminEmail: 'admin@localhost',
      adminPassword: undefined,
      masterKey: undefined,
      localServer: 'auto',
      installEngine: 'ask',
      caddy: undefined,
      ingressHttp: undefined,
      ingressHttps: undefined,
      appsDomain: 'localhost',
      rateLimits: { free: 60, pro: 300, enterprise: 1000, anonymous: 300, server: 3000 },
      streamLimits: { account: 600, total: 2000 },
      quotas: defaultQuotas,
      webhookAllowPrivate: false,
      smtpUrl: undefined,
      mailFrom: 'Hortus <hortus@127.0.0.1>',
      alertGroupSeconds: 15,
      alertWatchSeconds: 30,
      allowPlaintextManifest: false,
      retention: { deliveries: 30, events: 90, idempotency: 1, logs: 30, metrics: 7, recordings: 30 },
      pingSeconds: 20,
      migrationGraceMinutes: 60,
      replicaUrl: undefined,
      upgradeScanHours: 24,
      sessionIdleMinutes: 720,
      assistantUrl: undefined,
      assistantKey: undefined,
      assistantModel: undefined,
      assistantLimits: { free: 50, pro: 500, enterprise: 5000 },
      trustedProxies: [],
      logLevel: 'info',
    });
  });

  it('are read with their types', () => {
    const config = readConfig(
      {
        HORTUS_HOST: '::',
        HORTUS_PORT: '9000',
        HORTUS_ALLOWED_HOSTS: 'hortus.internal, hortus.example.org',
        HORTUS_MODE: 'live',
        HORTUS_DATA_DIR: 'data',
        HORTUS_DATABASE_URL: 'postgres://hortus:pw@db/hortus',
        HORTUS_MASTER_KEY: 'a master key that is long',
        HORTUS_ADMIN_KEY: key,
        HORTUS_RATE_LIMITS: 'free=1, server=7',
        HORTUS_WEBHOOK_ALLOW_PRIVATE: 'true',
        HORTUS_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
        HORTUS_LOCAL_SERVER: 'off',
        HORTUS_CADDY: 'bin/caddy',
        HORTUS_INGRESS_HTTP: '8080',
        HORTUS_LOG_LEVEL: 'debug',
      },
      nowhere,
    );
    expect(config).toMatchObject({
      host: '::',
      port: 9000,
      publicUrl: 'http://[::]:9000',
      allowedHosts: ['hortus.internal', 'hortus.example.org'],
      dataDirectory: '/nowhere/data',
      adminKey: key,
      rateLimits: { free: 1, pro: 300, enterprise: 1000, anonymous: 300, server: 7 },
      webhookAllowPrivate: true,
      trustedProxies: ['10.0.0.0/8', '::1/128'],
      localServer: 'off',
      caddy: '/nowhere/bin/caddy',
      ingressHttp: 8080,
      logLevel: 'debug',
    });
  });

  it('come from a .env file too, and the environment wins', async () => {
    await using folder = temporaryFolder('config');
    writeFileSync(join(folder.path, '.env'), 'HORTUS_PORT=1111\n# a comment\nHORTUS_MODE="test"\nOTHER=1\n');
    expect(readConfig({ HORTUS_PORT: '2222' }, folder.path)).toMatchObject({ port: 2222, mode: 'test' });
  });

  it('come from files too, whose names end in _FILE', async () => {
    await using folder = temporaryFolder();
    const url = 'postgres://hortus:hunter2@db:5432/hortus';
    writeFileSync(join(folder.path, 'url'), `${url}\n`);
    writeFileSync(join(folder.path, 'key'), 'a master key of the tests');
    const config = readConfig({ HORTUS_DATABASE_URL_FILE: 'url', HORTUS_MASTER_KEY_FILE: 'key' }, folder.path);
    expect(config).toMatchObject({ databaseUrl: url, masterKey: 'a master key of the tests' });

    writeFileSync(join(folder.path, 'empty'), '\n');
    writeFileSync(join(folder.path, 'huge'), 'hunter2 '.repeat(10_000));
    const problems = () =>
      readConfig(
        {
          HORTUS_DATABASE_URL: url,
          HORTUS_DATABASE_URL_FILE: 'url',
          HORTUS_MASTER_KEY_FILE: 'missing',
          HORTUS_ADMIN_KEY_FILE: 'empty',
          HORTUS_SMTP_URL_FILE: 'huge',
          HORTUS_MODE_FILE: '.',
          HORTUS_MASTER_FILE: 'key',
        },
        folder.path,
      );
    expect(problems).toThrow(
      new ConfigError(
        [
          'HORTUS_MASTER_FILE: is not a setting; did you mean HORTUS_MASTER_KEY?',
          'HORTUS_MODE: the file of HORTUS_MODE_FILE cannot be read (EISDIR).',
          'HORTUS_DATABASE_URL: is set twice; remove it or HORTUS_DATABASE_URL_FILE.',
          'HORTUS_ADMIN_KEY: the file of HORTUS_ADMIN_KEY_FILE is empty.',
          'HORTUS_MASTER_KEY: the file of HORTUS_MASTER_KEY_FILE cannot be read (ENOENT).',
          'HORTUS_SMTP_URL: the file of HORTUS_SMTP_URL_FILE is larger than 64 KB.',
        ].join('\n'),
      ),
    );
  });

  it('that are empty are not set', () => {
    expect(readConfig({ HORTUS_DATABASE_URL: '', HORTUS_PORT: ' ' }, nowhere)).toMatchObject({
      databaseUrl: undefined,
      port: 8420,
    });
  });

  it.each([
    [{ HORTUS_PORT: '70000' }, 'HORTUS_PORT: must be a whole number from 0 to 65535.'],
    [{ HORTUS_PORT: '80a' }, 'HORTUS_PORT: must be a whole number'],
    [{ HORTUS_HOST: 'http://here' }, 'HORTUS_HOST: must be an address or a host name'],
    [{ HORTUS_PUBLIC_URL: 'hortus.example.org' }, 'HORTUS_PUBLIC_URL: must be an address such as https://'],
    [{ HORTUS_MODE: 'prod' }, 'HORTUS_MODE: must be one of live, test.'],
    [{ HORTUS_DATABASE_URL: 'mysql://x' }, 'HORTUS_DATABASE_URL: must be an address such as postgres://'],
    [{ HORTUS_ASSISTANT_URL: 'https://models.example.org/v1' }, 'HORTUS_ASSISTANT_MODEL: must be set'],
    [{ HORTUS_ASSISTANT_LIMITS: 'server=1' }, 'HORTUS_ASSISTANT_LIMITS: must look like free=50'],
    [{ HORTUS_PING_SECONDS: '0' }, 'HORTUS_PING_SECONDS: must be a whole number from 1 to 300.'],
    [{ HORTUS_UPGRADE_SCAN_HOURS: '-1' }, 'HORTUS_UPGRADE_SCAN_HOURS: must be a whole number'],
    [{ HORTUS_DATABASE_URL: 'postgres://db/x' }, 'HORTUS_MASTER_KEY: must be set with PostgreSQL'],
    [{ HORTUS_DATABASE_READS: 'standby' }, 'HORTUS_DATABASE_READS: standby needs several hosts'],
    [{ HORTUS_ADMIN_KEY: 'hk_live_short' }, 'HORTUS_ADMIN_KEY: must be hk_live_ and 32 to 128'],
    [{ HORTUS_ADMIN_KEY: key, HORTUS_MODE: 'test' }, 'HORTUS_ADMIN_KEY: must be hk_test_'],
    [{ HORTUS_ADMIN_EMAIL: 'admin' }, 'HORTUS_ADMIN_EMAIL: must be an email address.'],
    [{ HORTUS_ADMIN_PASSWORD: 'short' }, 'HORTUS_ADMIN_PASSWORD: must have at least 10 characters.'],
    [{ HORTUS_RATE_LIMITS: 'gold=5' }, 'HORTUS_RATE_LIMITS: must look like free=60,pro=300'],
    [{ HORTUS_RATE_LIMITS: 'free=0' }, 'HORTUS_RATE_LIMITS: must be a whole number from 1'],
    [{ HORTUS_WEBHOOK_ALLOW_PRIVATE: 'yes' }, 'HORTUS_WEBHOOK_ALLOW_PRIVATE: must be one of true, false.'],
    [{ HORTUS_TRUSTED_PROXIES: '10.0.0.0/40' }, 'HORTUS_TRUSTED_PROXIES: must be addresses or networks'],
    [{ HORTUS_LOG_LEVEL: 'loud' }, 'HORTUS_LOG_LEVEL: must be one of trace, debug'],
    [{ HORTUS_DATABSE_URL: 'x' }, 'HORTUS_DATABSE_URL: is not a setting; did you mean HORTUS_DATABASE_URL?'],
  ])('%j is refused with the name of the setting', (env, message) => {
    expect(() => readConfig(env, nowhere)).toThrow(message);
  });

  it('with errors are reported together, without their values', () => {
    const env = { HORTUS_PORT: 'hunter2', HORTUS_MODE: 'hunter2', HORTUS_ADMIN_PASSWORD: 'hunter2' };
    const attempt = () => readConfig(env, nowhere);
    expect(attempt).toThrow(/HORTUS_PORT.*\nHORTUS_MODE.*\nHORTUS_ADMIN_PASSWORD/);
    expect(attempt).not.toThrow(/hunter2/);
  });

  it('ignore the variables of the command line', () => {
    expect(readConfig({ HORTUS_URL: 'http://elsewhere', HORTUS_KEY: key }, nowhere)).toEqual(readConfig({}, nowhere));
  });

  it('ignore the variables of the test suite', () => {
    expect(() => readConfig({ HORTUS_TEST_POSTGRES: 'x' }, nowhere)).not.toThrow();
  });

  it('are shown without secrets', () => {
    const config = readConfig(
      {
        HORTUS_DATABASE_URL: 'postgres://hortus:hunter2@db:5432/hortus?password=hunter2',
        HORTUS_MASTER_KEY: 'hunter2-hunter2-hunter2',
        HORTUS_ADMIN_KEY: key,
        HORTUS_ADMIN_PASSWORD: 'hunter2-hunter2',
      },
      nowhere,
    );
    const shown = Object.fromEntries(describeConfig(config).map(({ name, value }) => [name, value]));
    expect(JSON.stringify(shown)).not.toMatch(/hunter2|aaaa/);
    expect(shown).toMatchObject({
      HORTUS_DATABASE_URL: 'postgres://db:5432/hortus',
      HORTUS_MASTER_KEY: '(set, not shown)',
      HORTUS_RATE_LIMITS: 'free=60,pro=300,enterprise=1000,anonymous=300,server=3000',
      HORTUS_TRUSTED_PROXIES: '(none)',
    });
    expect(Object.fromEntries(describeConfig(readConfig({}, nowhere)).map((s) => [s.name, s.value]))).toMatchObject({
      HORTUS_ADMIN_KEY: '(not set)',
    });
  });
});
