export interface UnitOptions {
  /** Of the service, for whoever reads the unit. */
  readonly url: string;
  /** What systemd starts. */
  readonly command: readonly string[];
  readonly environmentFile: string;
}

/** The systemd unit that keeps the daemon running. */
export const systemdUnit = ({ url, command, environmentFile }: UnitOptions): string => `[Unit]
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
