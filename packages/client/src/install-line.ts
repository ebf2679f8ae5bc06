import type { agentArchs } from '@hortus/contract/releases/agent-file';

/** A new server, as the service returns it once. */
export interface NewServer {
  readonly id: string;
  readonly api_key: string;
  readonly manifest_public_key?: string | undefined;
  /** The daemon of a cluster drives the Swarm of its engine. */
  readonly kind?: 'server' | 'cluster' | undefined;
}

/** Checksums of the daemon binaries that the service offers, by processor. */
export type DaemonChecksums = { readonly [Arch in (typeof agentArchs)[number]]?: string | undefined };

/** Stands for the checksum of a binary that the service does not have. */
const MISSING = '-';

/**
 * Runs on the server: arguments are the address, the checksum for each processor, and the options of `hortusd install`. Needs only
 * POSIX sh, sha256sum, and curl or wget. The download is in a folder of its own, so that no other user can replace it between check
 * and start. The key reaches curl and wget by standard input and by a file, because other users can read command lines.
 */
const script = [
  'set -eu',
  'umask 077',
  'fail() { echo "hortus: $*" >&2; exit 1; }',
  'url=$1 amd64=$2 arm64=$3',
  'shift 3',
  `case $(uname -m) in x86_64) arch=amd64 sum=$amd64 ;; aarch64 | arm64) arch=arm64 sum=$arm64 ;; *) fail "There is no daemon for the processor $(uname -m)." ;; esac`,
  `[ "$sum" != ${MISSING} ] || fail "The service has no daemon for $arch. Build it where the service runs (npm run build:daemon), then copy a new line."`,
  'root=',
  '[ "$(id -u)" = 0 ] || root="sudo --preserve-env=HORTUSD_KEY"',
  '[ -z "$root" ] || command -v sudo >/dev/null || fail "Run this line as root, because sudo is not installed."',
  'dir=$(mktemp -d)',
  'trap "rm -rf \\"$dir\\"" EXIT',
  'file=$dir/hortusd',
  'from=$url/api/v1/implant/linux/$arch/download',
  [
    `if command -v curl >/dev/null; then printf "header = \\"Authorization: Bearer %s\\"\\n" "$HORTUSD_KEY" | curl -fsS -K - -o "$file" "$from"`,
    `elif command -v wget >/dev/null; then printf "header = Authorization: Bearer %s\\n" "$HORTUSD_KEY" >"$dir/wgetrc"`,
    `WGETRC=$dir/wgetrc wget -nv --max-redirect=0 -O "$file" "$from"`,
    'else fail "Install curl or wget first."',
    `fi || fail "The download of $from failed; nothing was installed."`,
  ].join('; '),
  `[ "$(sha256sum <"$file" | cut -d " " -f 1)" = "$sum" ] || fail "The download does not have the SHA-256 of this line, $sum. It was not run. Copy a new line; if that fails too, the file was changed on its way."`,
  'chmod 700 "$file"',
  // The loader names the library that is missing.
  '"$file" version >/dev/null || fail "The daemon cannot run on this machine. If a library is missing, install it (on Debian: apt-get install libatomic1 libstdc++6), then try again. Nothing was installed."',
  '$root "$file" install "$@"',
  'if [ -d /run/systemd/system ]; then $root systemctl daemon-reload; $root systemctl enable hortusd; $root systemctl restart hortusd; else echo "hortus: systemd does not run here. Start hortusd run with the settings of /etc/hortusd/hortusd.env."; fi',
].join('; ');

/**
 * Returns the command to paste on a new server: downloads the daemon, runs it only if its checksum is the one in the command,
 * installs and starts it. `origin` is the address of the service.
 */
export function installLine(origin: string, server: NewServer, { amd64, arm64 }: DaemonChecksums): string {
  const sums = [amd64 ?? MISSING, arm64 ?? MISSING];
  const args = [origin, ...sums, ...optionsOf(origin, server)].map(quoted).join(' ');
  return `HORTUSD_KEY=${quoted(server.api_key)} sh -c '${script}' hortus ${args}`;
}

/** Returns the command for a server on which the daemon is present, for example from the Debian package. */
export const installCommand = (origin: string, server: NewServer): string =>
  `HORTUSD_KEY=${quoted(server.api_key)} hortusd install ${optionsOf(origin, server).map(quoted).join(' ')}`;

function optionsOf(origin: string, { id, manifest_public_key: publicKey, kind }: NewServer): string[] {
  return [
    ...['--url', origin, '--server-id', id],
    ...(publicKey ? ['--public-key', publicKey] : []),
    ...(kind === 'cluster' ? ['--cluster'] : []),
    ...(isProtected(origin) ? [] : ['--allow-plaintext']),
  ];
}

/** Tells whether the server key is safe on the way: over TLS, or on this machine only. */
export const isProtected = (origin: string): boolean =>
  /^https:/.test(origin) || /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::|$)/.test(origin);

/** Quotes one word for a shell. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
