import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import { readS3Config, type S3Config } from '../backup/s3/s3-config.ts';
import type { RingLimits } from '../container-logs/ring.ts';
import type { IngressWish } from '../ingress/ports.ts';
import type { LogLevel } from '../log.ts';
import type { AddressRange } from '../networks/address-range.ts';
import { POOL_SETTING, readNetworkPool } from '../networks/pool-setting.ts';
import { ConfigError } from '../options/config-error.ts';
import type { RunOptions } from '../options/run-options.ts';
import { readSubstitutes } from '../substitutes/read-substitutes.ts';
import type { Substitutes } from '../substitutes/substitutes.ts';

export { ConfigError };

export interface DaemonConfig {
  /** Address of the service with the version segment: https://hortus.example.org/api/v1 */
  url: string;
  /** Whether the operator allows sending the key unencrypted to another machine. */
  allowPlaintext: boolean;
  /** The key of this server. */
  key: string;
  /** From the options or the key file, or learned from the service. */
  serverId: string | undefined;
  /** Public key of the service that signs manifests, base64 SPKI; pinned at the first start. */
  manifestPublicKey: string | undefined;
  stateDirectory: string;
  /** Folder of backups; unused with `backupBucket`. */
  backupDirectory: string;
  backupBucket: S3Config | undefined;
  dockerSocket: string;
  /** Whether the daemon drives the Swarm of its engine. */
  cluster: boolean;
  ingress: IngressWish;
  /** Image of Caddy on the nodes of a cluster. */
  ingressImage: string;
  /** Image of HAProxy on the nodes of a cluster. */
  tunnelImage: string;
  /** Local images in place of images of a registry, and their file; undefined for none. */
  substitutes: Substitutes | undefined;
  substitutesFile: string | undefined;
  /** Blocks for the subnets of instances; undefined for a default that fits the host. */
  networkPool: readonly AddressRange[] | undefined;
  /** Interval of drift checks. */
  driftEveryMs: number;
  /** How much output of each component is kept, unless its template says otherwise. */
  logs: RingLimits;
  logLevel: LogLevel;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_STATE_DIRECTORY = '/var/lib/hortusd';
export const DEFAULT_INGRESS_IMAGE = 'docker.io/library/caddy:2';
export const DEFAULT_TUNNEL_IMAGE = 'docker.io/library/haproxy:lts';
export const DEFAULT_SOCKET = '/var/run/docker.sock';
export const DEFAULTS = { driftSeconds: '120', logsMebibytes: '20', logsDays: '7' };
const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error'];

/**
 * Options take precedence over the environment, and the environment over the key file. The key has no option because
 * other users can read command lines.
 */
export function readConfig(options: RunOptions, env: Environment): DaemonConfig {
  const keyFile = options['key-file'] ?? env.HORTUSD_KEY_FILE;
  const file = keyFile === undefined ? {} : readKeyFile(keyFile);
  const url = options.url ?? env.HORTUSD_URL ?? file.url;
  const key = env.HORTUSD_KEY ?? file.api_key;
  const logLevel = options['log-level'] ?? env.HORTUSD_LOG_LEVEL ?? 'info';
  const pool = options['network-pool'] ?? env[POOL_SETTING] ?? env.HORTUSD_NETWORK_POOL;
  const substitutesFile = options['image-substitutes'] ?? env.HORTUSD_IMAGE_SUBSTITUTES;
  if (url === undefined)
    throw new ConfigError('The address of the service is missing. Give --url, or a --key-file that contains it.');
  if (!/^https?:\/\/[^/]+/.test(url) || !URL.canParse(url))
    throw new ConfigError('--url must be an address such as https://hortus.example.org/api/v1.');
  const allowPlaintext = options['allow-plaintext'] ?? flag('HORTUSD_ALLOW_PLAINTEXT', env.HORTUSD_ALLOW_PLAINTEXT);
  if (!allowPlaintext && !isProtected(url))
    throw new ConfigError(
      `--url ${url} is not encrypted: anyone on the network path could read the server key. Use https, or --allow-plaintext on a closed network.`,
    );
  if (key === undefined || key === '') {
    throw new ConfigError('The server key is missing. Give --key-file, or set HORTUSD_KEY.');
  }
  const backupBucket = readS3Config(options, env);
  if (backupBucket && (options['backup-dir'] ?? env.HORTUSD_BACKUP_DIR) !== undefined)
    throw new ConfigError('--backup-dir and --s3-bucket exclude each other; give one of them.');
  if (!LEVELS.includes(logLevel)) throw new ConfigError(`--log-level must be one of ${LEVELS.join(', ')}.`);
  return {
    url: baseOf(url),
    allowPlaintext,
    key,
    serverId: options['server-id'] ?? env.HORTUSD_SERVER_ID ?? file.server_id ?? file.id,
    manifestPublicKey: options['public-key'] ?? env.HORTUSD_PUBLIC_KEY ?? file.manifest_public_key,
    stateDirectory: stateDirectoryOf(options, env),
    backupDirectory: options['backup-dir'] ?? env.HORTUSD_BACKUP_DIR ?? join(stateDirectoryOf(options, env), 'backups'),
    backupBucket,
    dockerSocket: options['docker-socket'] ?? env.HORTUSD_DOCKER_SOCKET ?? DEFAULT_SOCKET,
    cluster: options.cluster ?? flag('HORTUSD_CLUSTER', env.HORTUSD_CLUSTER),
    ingress: {
      caddy: options.caddy ?? env.HORTUSD_CADDY,
      httpPort: port('--ingress-http', options['ingress-http'] ?? env.HORTUSD_INGRESS_HTTP),
      httpsPort: port('--ingress-https', options['ingress-https'] ?? env.HORTUSD_INGRESS_HTTPS),
    },
    ingressImage: options['ingress-image'] ?? env.HORTUSD_INGRESS_IMAGE ?? DEFAULT_INGRESS_IMAGE,
    tunnelImage: options['tunnel-image'] ?? env.HORTUSD_TUNNEL_IMAGE ?? DEFAULT_TUNNEL_IMAGE,
    substitutes: substitutesFile === undefined ? undefined : readSubstitutes(substitutesFile),
    substitutesFile,
    networkPool: pool === undefined ? undefined : readNetworkPool(pool),
    driftEveryMs: seconds('--drift-every', options['drift-every'] ?? env.HORTUSD_DRIFT_EVERY ?? DEFAULTS.driftSeconds),
    logs: {
      maxBytes:
        whole(
          '--logs-size',
          options['logs-size'] ?? env.HORTUSD_LOGS_SIZE ?? DEFAULTS.logsMebibytes,
          'MiB',
          0,
          10_240,
        ) *
        1024 ** 2,
      maxAgeMs:
        whole('--logs-days', options['logs-days'] ?? env.HORTUSD_LOGS_DAYS ?? DEFAULTS.logsDays, 'days', 1, 365) *
        86_400_000,
    },
    logLevel: logLevel as LogLevel,
  };
}

export const stateDirectoryOf = (options: Pick<RunOptions, 'state-dir'>, env: Environment): string =>
  options['state-dir'] ?? env.HORTUSD_STATE_DIR ?? DEFAULT_STATE_DIRECTORY;

/** Checks for TLS or loopback. Other names than `localhost` do not count: they may resolve elsewhere tomorrow. */
function isProtected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function flag(name: string, text = 'false'): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ConfigError(`${name} must be true or false.`);
}

function port(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= 65_535) return number;
  throw new ConfigError(`${option} must be a port between 1 and 65535.`);
}

const seconds = (option: string, text: string): number => whole(option, text, 'seconds', 1, 86_400) * 1_000;

function whole(option: string, text: string, unit: string, min: number, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new ConfigError(`${option} must be a number of ${unit} between ${min} and ${max}.`);
}

/** Appends the API path: people paste the address of the console. */
function baseOf(url: string): string {
  const bare = withoutTrailing(url, '/');
  return /\/api\/v\d+$/.test(bare) ? bare : `${bare}/api/v1`;
}

interface KeyFile {
  url?: string;
  server_id?: string;
  /** The same in the answer of a registration. */
  id?: string;
  api_key?: string;
  manifest_public_key?: string;
}

/** Reads the JSON of a registration, or the bare key on one line. */
function readKeyFile(path: string): KeyFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ConfigError(`The key file ${path} cannot be read: ${(cause as Error).message}`);
  }
  if (!text.startsWith('{')) return { api_key: text };
  try {
    return JSON.parse(text) as KeyFile;
  } catch {
    throw new ConfigError(`The key file ${path} is not JSON.`);
  }
}
