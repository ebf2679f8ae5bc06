export interface UnitOptions {
  /** Address of the service, for the documentation link; unknown to a package. */
  readonly url?: string;
  /** File without which the unit is not started. */
  readonly onlyIf?: string;
  /** Command that systemd starts. */
  readonly command: readonly string[];
  readonly environmentFile: string;
  /** Folders that the daemon writes to. */
  readonly writable: readonly string[];
}

/** Volume folders of engines, for direct copies. Volumes elsewhere are written through the engine. */
const volumeFolders = ['/var/lib/docker/volumes', '/var/lib/containers/storage/volumes'];

/** Builds the systemd unit of the daemon. */
export const systemdUnit = ({ url, onlyIf, command, environmentFile, writable }: UnitOptions): string => `[Unit]
Description=Hortus daemon, runs the instances of this server
Documentation=${url === undefined ? 'man:hortusd(8)' : literally(new URL('/docs', url).href)}
${onlyIf === undefined ? '' : `ConditionPathExists=${literally(onlyIf)}\n`}\
Wants=network-online.target
After=network-online.target docker.service
# The daemon retries by itself; systemd restarts it without a limit.
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map(word).join(' ')}
EnvironmentFile=${literally(environmentFile)}
Restart=always
RestartSec=5
# Stop only the daemon: processes that supervise running actions outlive it, so that no result is lost.
KillMode=process
UMask=0077

# Control over Docker is root. These restrictions limit the damage of bugs in the daemon and its child processes.
NoNewPrivileges=yes
# Files in volumes (owners, modes, capabilities); processes of containers (inspect, kill); ports of Caddy.
CapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER CAP_FSETID CAP_SETFCAP CAP_KILL CAP_SYS_PTRACE CAP_NET_BIND_SERVICE
ProtectSystem=strict
ProtectHome=read-only
ReadWritePaths=${[...new Set(writable), ...volumeFolders.map((path) => `-${path}`)].map(word).join(' ')}
PrivateTmp=yes
PrivateMounts=yes
DevicePolicy=closed
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
LockPersonality=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;

/** Escapes specifiers, which start with a percent sign. */
const literally = (text: string): string => text.replaceAll('%', '%%');

/** Quotes one argument; a dollar sign would start a variable. */
const word = (text: string): string =>
  /^[\w@/.:=+-]+$/.test(text)
    ? text
    : `"${literally(text)
        .replaceAll('$', '$$$$')
        .replaceAll(/["\\]/g, (mark) => `\\${mark}`)}"`;

/** Builds an environment file for systemd; a backslash escapes these characters in double quotes. */
export const environmentFile = (variables: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(variables)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}="${value.replaceAll(/["\\$`]/g, (mark) => `\\${mark}`)}"\n`)
    .join('');
