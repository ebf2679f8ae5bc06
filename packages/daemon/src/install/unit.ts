export interface UnitOptions {
  /** Of the service, for whoever reads the unit. */
  readonly url: string;
  /** What systemd starts. */
  readonly command: readonly string[];
  readonly environmentFile: string;
  /** Folders of the daemon's own that it writes to. */
  readonly writable: readonly string[];
}

/** Where engines keep volumes, for copies past the engine. One that is elsewhere is written to through the engine. */
const volumeFolders = ['/var/lib/docker/volumes', '/var/lib/containers/storage/volumes'];

/** The systemd unit that keeps the daemon running. */
export const systemdUnit = ({ url, command, environmentFile, writable }: UnitOptions): string => `[Unit]
Description=Hortus daemon, which keeps the instances of this server as the service wants them
Documentation=${literally(new URL('/docs', url).href)}
Wants=network-online.target
After=network-online.target docker.service
# It waits by itself where waiting helps; systemd never gives up on it.
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map(word).join(' ')}
EnvironmentFile=${literally(environmentFile)}
Restart=always
RestartSec=5
# Only the daemon is told to stop: the processes that watch over running actions outlive it, so that no result is lost.
KillMode=process
UMask=0077

# Who controls Docker controls the machine. This keeps mistakes in the daemon, and in what it starts, from more than it needs.
NoNewPrivileges=yes
# Owners, modes and capabilities of files in volumes; processes of containers that are looked at and ended; ports of Caddy.
CapabilityBoundingSet=CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER CAP_FSETID CAP_SETFCAP CAP_KILL CAP_SYS_PTRACE CAP_NET_BIND_SERVICE
ProtectSystem=strict
ProtectHome=read-only
ReadWritePaths=${[...new Set(writable), ...volumeFolders.map((path) => `-${path}`)].map(word).join(' ')}
PrivateTmp=yes
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

/** A percent sign begins a specifier everywhere in a unit. */
const literally = (text: string): string => text.replaceAll('%', '%%');

/** One argument, whatever is in it: a dollar sign would begin a variable. */
const word = (text: string): string =>
  /^[\w@/.:=+-]+$/.test(text)
    ? text
    : `"${literally(text)
        .replaceAll('$', '$$$$')
        .replaceAll(/["\\]/g, (mark) => `\\${mark}`)}"`;

/** Lines of a file that systemd reads as an environment; in double quotes a backslash takes the meaning off these marks. */
export const environmentFile = (variables: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(variables)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}="${value.replaceAll(/["\\$`]/g, (mark) => `\\${mark}`)}"\n`)
    .join('');
