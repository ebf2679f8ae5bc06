interface Registered {
  readonly id: string;
  readonly api_key: string;
  readonly manifest_public_key?: string | undefined;
}

/**
 * The line to paste on the server: fetches the daemon with the server key, installs it and starts it. The key is an
 * environment variable and never an argument, because other users of a machine can read command lines.
 */
export function installLine(origin: string, { id, api_key, manifest_public_key: publicKey }: Registered): string {
  const file = `${origin}/api/v1/implant/linux/$(uname -m | sed 's/x86_64/amd64/;s/aarch64/arm64/')/download`;
  const options = [
    `--url ${origin}`,
    `--server-id ${id}`,
    ...(publicKey ? [`--public-key ${publicKey}`] : []),
    ...(isProtected(origin) ? [] : ['--allow-plaintext']),
  ];
  return [
    `export HORTUSD_KEY=${api_key}`,
    `printf 'header = "Authorization: Bearer %s"\\n' "$HORTUSD_KEY" | curl -fsS -K - -o hortusd "${file}"`,
    'chmod +x hortusd',
    `sudo --preserve-env=HORTUSD_KEY ./hortusd install ${options.join(' ')}`,
    'sudo systemctl enable --now hortusd',
  ].join(' && ');
}

/** Tells whether the server key is safe on the way: over TLS, or on this machine only. */
export const isProtected = (origin: string): boolean =>
  /^https:/.test(origin) || /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::|$)/.test(origin);
