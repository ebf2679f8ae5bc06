import { isAbsolute, join } from 'node:path';
import { s3Variables } from '../backup/s3/s3-config.ts';
import {
  ConfigError,
  type DaemonConfig,
  DEFAULT_INGRESS_IMAGE,
  DEFAULT_SOCKET,
  DEFAULT_TUNNEL_IMAGE,
  DEFAULTS,
} from '../config/config.ts';
import { formatCidr } from '../networks/address-range.ts';
import { POOL_SETTING } from '../networks/pool-setting.ts';
import { environmentFile, systemdUnit } from './unit.ts';

export const BINARY = '/usr/local/bin/hortusd';
export const ENVIRONMENT = '/etc/hortusd/hortusd.env';
export const UNIT = '/etc/systemd/system/hortusd.service';
/** Unit of the Debian package, which brings the binary too. A unit in /etc would hide it and its updates. */
export const PACKAGED_UNIT = '/lib/systemd/system/hortusd.service';

/** A file or folder that the installation creates. */
export type Placed = { readonly path: string; readonly mode: number } & (
  | { readonly kind: 'folder' }
  /** `secret` texts contain values that must not be printed. */
  | { readonly kind: 'file'; readonly text: string; readonly secret?: true }
  | { readonly kind: 'copy'; readonly from: string }
);

export interface InstallationOptions {
  readonly config: DaemonConfig;
  /** The single executable, or the command that runs the daemon from source. */
  readonly program: { readonly binary: string } | { readonly command: readonly string[] };
  /** Whether binary and unit belong to a package; then only the settings are written. */
  readonly isPackaged?: boolean;
}

/** Plans the installation without touching the disk. */
export function installation({ config, program, isPackaged = false }: InstallationOptions): Placed[] {
  const { stateDirectory, backupDirectory, dockerSocket } = config;
  for (const [option, path] of [
    ['--state-dir', stateDirectory],
    ['--backup-dir', backupDirectory],
    ['--docker-socket', dockerSocket],
    ['--s3-credentials-file', config.backupBucket?.credentialsFile ?? '/'],
    ['--image-substitutes', config.substitutesFile ?? '/'],
  ] as const) {
    if (!isAbsolute(path)) throw new ConfigError(`${option} must be an absolute path: systemd starts the daemon in /.`);
  }
  const command = 'binary' in program ? [BINARY, 'run'] : [...program.command, 'run'];
  const variables = {
    HORTUSD_URL: config.url,
    HORTUSD_ALLOW_PLAINTEXT: config.allowPlaintext ? 'true' : undefined,
    HORTUSD_CLUSTER: config.cluster ? 'true' : undefined,
    HORTUSD_KEY: config.key,
    HORTUSD_SERVER_ID: config.serverId,
    HORTUSD_PUBLIC_KEY: config.manifestPublicKey,
    HORTUSD_STATE_DIR: stateDirectory,
    HORTUSD_BACKUP_DIR: backupDirectory === join(stateDirectory, 'backups') ? undefined : backupDirectory,
    ...s3Variables(config.backupBucket),
    HORTUSD_DOCKER_SOCKET: dockerSocket === DEFAULT_SOCKET ? undefined : dockerSocket,
    HORTUSD_CADDY: config.ingress.caddy,
    HORTUSD_INGRESS_HTTP: config.ingress.httpPort?.toString(),
    HORTUSD_INGRESS_HTTPS: config.ingress.httpsPort?.toString(),
    HORTUSD_INGRESS_IMAGE: config.ingressImage === DEFAULT_INGRESS_IMAGE ? undefined : config.ingressImage,
    HORTUSD_TUNNEL_IMAGE: config.tunnelImage === DEFAULT_TUNNEL_IMAGE ? undefined : config.tunnelImage,
    HORTUSD_IMAGE_SUBSTITUTES: config.substitutesFile,
    [POOL_SETTING]: config.networkPool?.map(formatCidr).join(','),
    ...inputDefaults(config),
    HORTUSD_LOG_LEVEL: config.logLevel === 'info' ? undefined : config.logLevel,
  };
  for (const value of [...Object.values(variables), ...command]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for these
    if (/[\u0000-\u001f\u007f]/.test(value ?? ''))
      throw new ConfigError(
        'Options and values of the key file must not contain line breaks or other control characters.',
      );
  }
  const settings: Placed[] = [
    { kind: 'folder', path: stateDirectory, mode: 0o700 },
    { kind: 'folder', path: '/etc/hortusd', mode: 0o755 },
    { kind: 'file', path: ENVIRONMENT, mode: 0o600, text: environmentFile(variables), secret: true },
  ];
  if (isPackaged) return settings;
  const writable = [stateDirectory, backupDirectory];
  const unit = systemdUnit({ url: config.url, command, environmentFile: ENVIRONMENT, writable });
  return [
    ...('binary' in program ? [{ kind: 'copy', path: BINARY, mode: 0o755, from: program.binary } as const] : []),
    ...settings,
    { kind: 'file', path: UNIT, mode: 0o644, text: unit },
  ];
}

/** Returns the settings with a default as texts; undefined for the default, so that a later version may choose another. */
function inputDefaults({ driftEveryMs, logs }: DaemonConfig): Record<string, string | undefined> {
  const inputOf = (value: number, standard: number, unit: number) =>
    value === standard * unit ? undefined : String(value / unit);
  return {
    HORTUSD_DRIFT_EVERY: inputOf(driftEveryMs, Number(DEFAULTS.driftSeconds), 1_000),
    HORTUSD_LOGS_SIZE: inputOf(logs.maxBytes, Number(DEFAULTS.logsMebibytes), 1024 ** 2),
    HORTUSD_LOGS_DAYS: inputOf(logs.maxAgeMs, Number(DEFAULTS.logsDays), 86_400_000),
  };
}

/** Matches secrets in the environment file. */
const secretLines = /^(HORTUSD_(?:KEY|S3_SECRET_ACCESS_KEY|S3_SESSION_TOKEN)=).*$/gm;

/** Describes the installation for a dry run. */
export const describeInstallation = (placed: readonly Placed[], root: string): string =>
  placed
    .map((placed) => {
      const title = `${placed.kind} ${join(root, placed.path)} (${placed.mode.toString(8).padStart(4, '0')})`;
      if (placed.kind === 'copy') return `${title} of ${placed.from}\n`;
      if (placed.kind === 'folder') return `${title}\n`;
      const text = placed.secret ? placed.text.replaceAll(secretLines, '$1"…"') : placed.text;
      return `${title}\n${text.replaceAll(/^(?=.)/gm, '    ')}`;
    })
    .join('');
