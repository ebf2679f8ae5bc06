import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { channelTimes } from '@hortus/contract/channel/channel';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import { defaultQuotas, readQuotas, showQuotas } from '../quotas/limits.ts';
import { defaultRetention } from '../retention/periods.ts';
import { readDatabaseServers, showDatabaseServers } from '../storage/postgres/servers.ts';
import type { AssistantLimits, Config, RateLimits, StreamLimits } from './config-fields.ts';
import {
  appsDomain,
  host,
  limits,
  networks,
  oneOf,
  retention,
  secretText,
  showLimits,
  url,
  whole,
  wrong,
  yesOrNo,
} from './setting-readers.ts';

interface Setting<Field extends keyof Config = keyof Config> {
  readonly field: Field;
  /** One or two sentences for operators; docs/settings.md is generated from them. */
  readonly meaning: string;
  /** The default in words, if its value depends on the machine or is empty. */
  readonly standard?: string;
  /**
   * Parses the value. Throws an error that describes valid values, without the given value: it may be a misplaced
   * secret.
   */
  read(text: string, cwd: string): Config[Field];
  /** Returns the default; settings above it in the table are already known. */
  otherwise(known: Partial<Config>, cwd: string): Config[Field];
  readonly secret?: true;
  show?(value: NonNullable<Config[Field]>): string;
}

const setting = <Field extends keyof Config>(of: Setting<Field>): Setting => of as unknown as Setting;

const defaultLimits: RateLimits = { free: 60, pro: 300, enterprise: 1000, anonymous: 300, server: 3000 };
export const defaultStreamLimits: StreamLimits = { account: 600, total: 2_000 };
const defaultQuestions: AssistantLimits = { free: 50, pro: 500, enterprise: 5000 };
/** Host names that only this machine can reach. */
const onThisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** All settings of the service, in the order of their display. Defaults may use settings above them. */
export const settings: Readonly<Record<string, Setting>> = {
  HORTUS_HOST: setting({
    field: 'host',
    meaning: 'Address to listen on. 0.0.0.0 or :: accepts connections from other machines.',
    read: host,
    otherwise: () => '127.0.0.1',
  }),
  HORTUS_PORT: setting({
    field: 'port',
    meaning: 'Port to listen on; the API is below /api/v1. 0 takes a free port.',
    read: (text) => whole(text, 0, 65_535),
    otherwise: () => 8420,
  }),
  HORTUS_PUBLIC_URL: setting({
    field: 'publicUrl',
    meaning:
      'Address under which people and daemons reach the service; used in links, install lines and the OpenAPI document.',
    standard: '`http://<host>:<port>`',
    read: (text) => withoutTrailing(url(text, ['http:', 'https:'], 'https://hortus.example.org').href, '/'),
    otherwise: ({ host = '', port }) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
  }),
  HORTUS_ALLOWED_HOSTS: setting({
    field: 'allowedHosts',
    meaning: 'Host names, besides that of the public URL, under which browsers may use the service; others get 403.',
    read: (text) => text.split(',').map((name) => host(name.trim())),
    otherwise: () => [],
    show: (names) => names.join(',') || '(none)',
  }),
  HORTUS_MODE: setting({
    field: 'mode',
    meaning: 'live or test: two kinds of installation. Keys of one are refused by the other.',
    read: oneOf('live', 'test'),
    otherwise: () => 'live',
  }),
  HORTUS_DATA_DIR: setting({
    field: 'dataDirectory',
    meaning: 'Folder of the embedded database, the generated master key and downloaded agent binaries.',
    standard: '.hortus in the working directory',
    read: (text, cwd) => resolve(cwd, text),
    otherwise: (_, cwd) => join(cwd, '.hortus'),
  }),
  HORTUS_DATABASE_URL: setting({
    field: 'databaseUrl',
    meaning:
      'PostgreSQL 15 or later instead of the embedded database; several replicas may share it. Several hosts, separated by commas, are the servers of a cluster that fails over: postgres://user:password@one:5432,two:5432/hortus.',
    standard: 'embedded SQLite',
    read: (text) => {
      readDatabaseServers(text);
      return text;
    },
    otherwise: () => undefined,
    show: (text) => showDatabaseServers(readDatabaseServers(text)),
  }),
  HORTUS_DATABASE_READS: setting({
    field: 'databaseReads',
    meaning:
      'primary or standby: where lists of the API are read. A standby is used only while it is at most 2 seconds behind, and not for an account that has just changed something on this replica. Needs several hosts in HORTUS_DATABASE_URL.',
    read: oneOf('primary', 'standby'),
    otherwise: () => 'primary',
  }),
  HORTUS_CATALOG_DIR: setting({
    field: 'catalogDirectory',
    meaning: 'Folder of the template catalog, read at start.',
    standard: 'the catalog that comes with Hortus',
    read: (text, cwd) => resolve(cwd, text),
    otherwise: () => fileURLToPath(new URL('../../../../catalog', import.meta.url)),
  }),
  HORTUS_CONSOLE_DIR: setting({
    field: 'consoleDirectory',
    meaning: 'Folder of the built console, read at start. Without a build, / leads to the API reference.',
    standard: 'dist/console, which npm start builds',
    read: (text, cwd) => resolve(cwd, text),
    otherwise: () => fileURLToPath(new URL('../../../../dist/console', import.meta.url)),
  }),
  HORTUS_AGENTS_DIR: setting({
    field: 'agentDirectories',
    meaning: 'Folder of the daemon binaries that the service offers for download.',
    standard: 'agents in the data directory, then dist',
    read: (text, cwd) => [resolve(cwd, text)],
    otherwise: ({ dataDirectory = '' }) => [
      join(dataDirectory, 'agents'),
      fileURLToPath(new URL('../../../../dist', import.meta.url)),
    ],
    show: (folders) => folders.join(','),
  }),
  HORTUS_ADMIN_KEY: setting({
    field: 'adminKey',
    meaning: 'API key of the first account. Used only while the database is empty.',
    standard: 'generated, printed once',
    read: (text) => text,
    otherwise: () => undefined,
    secret: true,
  }),
  HORTUS_ADMIN_EMAIL: setting({
    field: 'adminEmail',
    meaning: 'E-mail address of the first user. Used only while the database is empty.',
    read: (text) => (/^[^\s@]+@[^\s@]+$/.test(text) ? text : wrong('must be an email address.')),
    otherwise: () => 'admin@localhost',
  }),
  HORTUS_ADMIN_PASSWORD: setting({
    field: 'adminPassword',
    meaning: 'Password of the first user. Used only while the database is empty.',
    standard: 'generated, printed once',
    read: secretText(10),
    otherwise: () => undefined,
    secret: true,
  }),
  HORTUS_MASTER_KEY: setting({
    field: 'masterKey',
    meaning: 'Encrypts the data keys of all accounts. Required with PostgreSQL; new,old rotates it.',
    standard: 'generated into the data directory',
    read: secretText(16),
    otherwise: () => undefined,
    secret: true,
  }),
  HORTUS_LOCAL_SERVER: setting({
    field: 'localServer',
    meaning:
      'auto registers this machine as a server and runs a daemon for its Docker engine; off does not. Used by npm start.',
    read: oneOf('auto', 'off'),
    otherwise: () => 'auto',
  }),
  HORTUS_INSTALL_ENGINE: setting({
    field: 'installEngine',
    meaning:
      'Whether npm start, as root on Debian without a running Docker engine, installs and starts one: ask asks at a terminal, yes does it, no does not.',
    read: oneOf('ask', 'yes', 'no'),
    otherwise: () => 'ask',
  }),
  HORTUS_CADDY: setting({
    field: 'caddy',
    meaning: 'Path of the Caddy program that the local daemon runs, or off. Used by npm start.',
    standard: 'caddy in PATH',
    read: (text, cwd) => (text === 'off' ? text : resolve(cwd, text)),
    otherwise: () => undefined,
  }),
  HORTUS_INGRESS_HTTP: setting({
    field: 'ingressHttp',
    meaning: "HTTP port of the local daemon's Caddy. Used by npm start.",
    standard: '80, or the first free port from 8080 where 80 needs root',
    read: (text) => whole(text, 1, 65_535),
    otherwise: () => undefined,
  }),
  HORTUS_INGRESS_HTTPS: setting({
    field: 'ingressHttps',
    meaning: "HTTPS port of the local daemon's Caddy. Used by npm start.",
    standard: '443, or the first free port from 8443 where 443 needs root',
    read: (text) => whole(text, 1, 65_535),
    otherwise: () => undefined,
  }),
  HORTUS_APPS_DOMAIN: setting({
    field: 'appsDomain',
    meaning:
      'Domain for definitions that leave out the domain of a route: blog becomes blog.<domain>. {address} stands for the address of the server with dashes, as in {address}.sslip.io. Takes effect when a daemon connects.',
    standard: 'localhost if the public URL is one of this machine, otherwise none: the domain must be given',
    read: appsDomain,
    otherwise: ({ publicUrl = '' }) => (onThisMachine.test(new URL(publicUrl).hostname) ? 'localhost' : undefined),
  }),
  HORTUS_RATE_LIMITS: setting({
    field: 'rateLimits',
    meaning: 'Requests per minute: by plan for each account, for each address without a key, for each server key.',
    read: limits(defaultLimits, 1),
    otherwise: () => defaultLimits,
    show: showLimits,
  }),
  HORTUS_STREAM_LIMITS: setting({
    field: 'streamLimits',
    meaning: 'Open event streams: of each account, and of this process in all.',
    read: limits(defaultStreamLimits, 1),
    otherwise: () => defaultStreamLimits,
    show: showLimits,
  }),
  HORTUS_QUOTAS: setting({
    field: 'quotas',
    meaning:
      'Quotas of each account, by plan: servers, definitions, keys, webhooks, templates and output_bytes (stored outputs and logs). Example: free.servers=3,pro.definitions=100; each part is optional.',
    read: readQuotas,
    otherwise: () => defaultQuotas,
    show: showQuotas,
  }),
  HORTUS_SESSION_IDLE_MINUTES: setting({
    field: 'sessionIdleMinutes',
    meaning: 'Minutes without a request after which a session of the console ends.',
    read: (text) => whole(text, 5, 20_160),
    otherwise: () => 720,
  }),
  HORTUS_RETENTION: setting({
    field: 'retention',
    meaning: 'Days until old rows are removed, by kind; 0 keeps them forever.',
    read: retention,
    otherwise: () => defaultRetention,
    show: showLimits,
  }),
  HORTUS_PING_SECONDS: setting({
    field: 'pingSeconds',
    meaning: 'Interval of pings to each daemon. A daemon that misses two is offline.',
    read: (text) => whole(text, 1, 300),
    otherwise: () => channelTimes.pingEveryMs / 1_000,
  }),
  HORTUS_WEBHOOK_ALLOW_PRIVATE: setting({
    field: 'webhookAllowPrivate',
    meaning:
      'true lets webhooks and notification channels reach loopback, private and link-local addresses. The mail server is exempt.',
    read: yesOrNo,
    otherwise: () => false,
  }),
  HORTUS_SMTP_URL: setting({
    field: 'smtpUrl',
    meaning:
      'Mail server for alerts, invitations and password resets: smtp:// with STARTTLS if offered, smtps:// for TLS from the start.',
    standard: 'none, no mails are sent',
    read: (text) => {
      url(text, ['smtp:', 'smtps:'], 'smtps://user:password@mail.example.org');
      return text;
    },
    otherwise: () => undefined,
    show: (text) => {
      const { protocol, host } = new URL(text);
      return `${protocol}//${host}`;
    },
  }),
  HORTUS_MAIL_FROM: setting({
    field: 'mailFrom',
    meaning: 'Sender of mails: an address, or a name and an address such as Hortus <hortus@example.org>.',
    standard: 'hortus at the host of the public URL',
    read: (text) =>
      /^(?:[^<>@\p{Cc}]{1,100}<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(text)
        ? text
        : wrong('must be an email address, or a name and <an email address>.'),
    otherwise: ({ publicUrl = '' }) => `Hortus <hortus@${new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')}>`,
  }),
  HORTUS_ALERT_GROUP_SECONDS: setting({
    field: 'alertGroupSeconds',
    meaning: 'Seconds for which a message about an alert waits, so that alerts of one cause arrive in one message.',
    read: (text) => whole(text, 0, 600),
    otherwise: () => 15,
  }),
  HORTUS_ALERT_WATCH_SECONDS: setting({
    field: 'alertWatchSeconds',
    meaning: 'Seconds between two looks of the alert rules at servers and instances.',
    read: (text) => whole(text, 5, 3_600),
    otherwise: () => 30,
  }),
  HORTUS_ALLOW_PLAINTEXT_MANIFEST: setting({
    field: 'allowPlaintextManifest',
    meaning: 'true sends manifests with secret values over plain HTTP, for closed networks.',
    read: yesOrNo,
    otherwise: () => false,
  }),
  HORTUS_UPGRADE_SCAN_HOURS: setting({
    field: 'upgradeScanHours',
    meaning: 'Hours between two scans for newer template versions; 0 turns them off.',
    read: (text) => whole(text, 0, 8_760),
    otherwise: () => 24,
  }),
  HORTUS_MIGRATION_GRACE_MINUTES: setting({
    field: 'migrationGraceMinutes',
    meaning: 'Minutes for which the source server keeps the containers and volumes of a finished migration.',
    read: (text) => whole(text, 0, 43_200),
    otherwise: () => 60,
  }),
  HORTUS_REPLICA_URL: setting({
    field: 'replicaUrl',
    meaning: 'Address under which the other replicas reach this one.',
    standard: 'where it listens',
    read: (text) => withoutTrailing(url(text, ['http:', 'https:'], 'http://10.0.0.7:8420').href, '/'),
    otherwise: () => undefined,
  }),
  HORTUS_ASSISTANT_URL: setting({
    field: 'assistantUrl',
    meaning:
      "Base address of an OpenAI-compatible API for the assistant. Without it, answers come from the catalog's search index.",
    standard: 'none',
    read: (text) => withoutTrailing(url(text, ['http:', 'https:'], 'https://models.example.org/v1').href, '/'),
    otherwise: () => undefined,
  }),
  HORTUS_ASSISTANT_KEY: setting({
    field: 'assistantKey',
    meaning: 'API key for HORTUS_ASSISTANT_URL.',
    standard: 'none',
    read: secretText(1),
    otherwise: () => undefined,
    secret: true,
  }),
  HORTUS_ASSISTANT_MODEL: setting({
    field: 'assistantModel',
    meaning: 'Model name at HORTUS_ASSISTANT_URL; required with it.',
    standard: 'none',
    read: (text) => text,
    otherwise: () => undefined,
  }),
  HORTUS_ASSISTANT_LIMITS: setting({
    field: 'assistantLimits',
    meaning: 'Questions per user and month, by plan.',
    read: limits(defaultQuestions, 0),
    otherwise: () => defaultQuestions,
    show: showLimits,
  }),
  HORTUS_TRUSTED_PROXIES: setting({
    field: 'trustedProxies',
    meaning:
      'Addresses or networks of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto headers are believed.',
    read: networks,
    otherwise: () => [],
    show: (found) => found.join(',') || '(none)',
  }),
  HORTUS_LOG_LEVEL: setting({
    field: 'logLevel',
    meaning: 'trace, debug, info, warn, error, fatal or silent. JSON lines on stderr; readable lines at a terminal.',
    read: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    otherwise: () => 'info',
  }),
};
