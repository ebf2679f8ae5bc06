import { readFileSync } from 'node:fs';
import { trimmed } from '@hortus/contract/runtime/trimmed';
import { ConfigError } from '../../options/config-error.ts';
import { type RunOptionName, type RunOptions, variableOf } from '../../options/run-options.ts';
import type { S3Settings } from './s3-store.ts';
import type { Credentials } from './signature.ts';

export type S3Options = Pick<RunOptions, Extract<RunOptionName, `s3-${string}`>>;

export interface S3Config extends S3Settings {
  /** File of the credentials, if they came from one. */
  readonly credentialsFile: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Environment only, because other users can read command lines. */
const secretNames = {
  accessKeyId: 'HORTUSD_S3_ACCESS_KEY_ID',
  secretAccessKey: 'HORTUSD_S3_SECRET_ACCESS_KEY',
  sessionToken: 'HORTUSD_S3_SESSION_TOKEN',
} as const;

/** Reads the bucket for backups; undefined if none is configured. Throws for an incomplete configuration. */
export function readS3Config(options: S3Options, env: Environment): S3Config | undefined {
  const said = (name: keyof S3Options): string | undefined => options[name] ?? (env[variableOf(name)] || undefined);
  const bucket = said('s3-bucket');
  const [endpointInput, credentialsFile] = [said('s3-endpoint'), said('s3-credentials-file')];
  if (bucket === undefined) {
    const others = ['s3-endpoint', 's3-region', 's3-prefix', 's3-path-style', 's3-credentials-file'] as const;
    const alone =
      others.find((name) => said(name) !== undefined) ?? Object.values(secretNames).find((name) => env[name]);
    if (alone === undefined) return undefined;
    throw new ConfigError(`--s3-bucket (HORTUSD_S3_BUCKET) is missing, though ${alone} is given.`);
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new ConfigError('--s3-bucket must be a bucket name of lower-case letters, digits, dots and dashes.');
  const region = said('s3-region') ?? 'us-east-1';
  const endpoint = endpointInput ?? `https://s3.${region}.amazonaws.com`;
  if (!/^https?:\/\/[^/]+\/?$/.test(endpoint) || !URL.canParse(endpoint))
    throw new ConfigError('--s3-endpoint must be an address without a path, such as https://s3.example.org.');
  return {
    bucket,
    region,
    endpoint,
    prefix: prefixOf(said('s3-prefix') ?? ''),
    // Self-hosted services seldom have a host name per bucket.
    pathStyle: switchOf('--s3-path-style', said('s3-path-style') ?? (endpointInput === undefined ? 'off' : 'on')),
    credentials: credentialsFile === undefined ? fromEnvironment(env) : fromFile(credentialsFile),
    credentialsFile,
  };
}

function prefixOf(text: string): string {
  const bare = trimmed(text, '/');
  if (!/^[A-Za-z0-9/_.-]*$/.test(bare) || bare.split('/').includes('..'))
    throw new ConfigError('--s3-prefix may contain only letters, digits, dots, dashes, underscores and slashes.');
  return bare === '' ? '' : `${bare}/`;
}

function switchOf(option: string, text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new ConfigError(`${option} must be on or off.`);
}

function fromEnvironment(env: Environment): Credentials {
  const [accessKeyId, secretAccessKey] = [env[secretNames.accessKeyId], env[secretNames.secretAccessKey]];
  const missing = !accessKeyId ? secretNames.accessKeyId : !secretAccessKey ? secretNames.secretAccessKey : undefined;
  if (missing !== undefined)
    throw new ConfigError(`${missing} is missing for the bucket. Set it, or give --s3-credentials-file.`);
  const sessionToken = env[secretNames.sessionToken] || undefined;
  return { accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '', sessionToken };
}

/** Reads JSON with the field names of the S3 services. */
function fromFile(path: string): Credentials {
  let found: { access_key_id?: unknown; secret_access_key?: unknown; session_token?: unknown };
  try {
    found = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    // Not the parser's message: it quotes the content, which may be secret.
    const why = cause instanceof SyntaxError ? 'it is not JSON' : (cause as Error).message;
    throw new ConfigError(`--s3-credentials-file ${path} cannot be read: ${why}.`);
  }
  const { access_key_id, secret_access_key, session_token } = found;
  for (const [name, value] of Object.entries({ access_key_id, secret_access_key })) {
    if (typeof value !== 'string' || value === '')
      throw new ConfigError(`--s3-credentials-file ${path} has no ${name}.`);
  }
  const sessionToken = typeof session_token === 'string' ? session_token : undefined;
  return { accessKeyId: String(access_key_id), secretAccessKey: String(secret_access_key), sessionToken };
}

/** Environment variables of the configuration, for a systemd unit. */
export const s3Variables = (config: S3Config | undefined): Record<string, string | undefined> =>
  config === undefined
    ? {}
    : {
        HORTUSD_S3_BUCKET: config.bucket,
        HORTUSD_S3_ENDPOINT: config.endpoint,
        HORTUSD_S3_REGION: config.region,
        HORTUSD_S3_PREFIX: config.prefix === '' ? undefined : config.prefix,
        HORTUSD_S3_PATH_STYLE: config.pathStyle ? 'on' : 'off',
        ...(config.credentialsFile === undefined
          ? {
              [secretNames.accessKeyId]: config.credentials.accessKeyId,
              [secretNames.secretAccessKey]: config.credentials.secretAccessKey,
              [secretNames.sessionToken]: config.credentials.sessionToken,
            }
          : { HORTUSD_S3_CREDENTIALS_FILE: config.credentialsFile }),
      };
