import { existsSync, readFileSync } from 'node:fs';
import { debianFiles } from './debian-files.ts';
import { askDocker } from './docker-request.ts';
import { type Entry, tar } from './images-tar.ts';
import { takeTurn } from './turn.ts';

export type ImageOptions = {
  /** Command of its containers; sleeps by default. */
  cmd?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Additional Dockerfile instructions, one per entry: `EXPOSE 80`, `VOLUME /data`. */
  changes?: readonly string[];
  /** Additional files, by absolute path. */
  files?: Readonly<Record<string, string>>;
  /** Programs of this machine, copied with their libraries, such as `caddy`. */
  programs?: readonly string[];
};

const applets = [
  ...[
    'sh',
    'cat',
    'echo',
    'env',
    'false',
    'true',
    'grep',
    'head',
    'hostname',
    'httpd',
    'id',
    'kill',
    'ls',
    'mkdir',
    'mount',
  ],
  ...[
    'nc',
    'nslookup',
    'printf',
    'ps',
    'pwd',
    'rm',
    'sleep',
    'stat',
    'tail',
    'test',
    'touch',
    'wc',
    'wget',
    'mv',
    'cp',
    'date',
  ],
  ...['dd', 'sort', 'sed', 'awk', 'tr', 'seq', 'trap', 'df', 'ulimit', 'ln', 'chmod', 'chown', 'find', 'timeout', 'ip'],
];

/** Builds an image with a static busybox under `ref`, without a registry. */
export async function busyboxImage(socketPath: string, ref: string, options: ImageOptions = {}): Promise<void> {
  const binary = busyboxPath();
  const { cmd = ['sleep', '100000'], env = {}, changes = [], files = {}, programs = [] } = options;
  const entries: Entry[] = [
    ...['bin/', 'etc/', 'tmp/', 'proc/', 'sys/', 'dev/', 'www/'].map(
      (path): Entry => ({ path, kind: 'folder', mode: 0o755 }),
    ),
    { path: 'bin/busybox', kind: 'file', mode: 0o755, content: readFileSync(binary) },
    ...applets.map((name): Entry => ({ path: `bin/${name}`, kind: 'link', to: 'busybox' })),
    {
      path: 'etc/passwd',
      kind: 'file',
      mode: 0o644,
      content: Buffer.from('root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n'),
    },
    { path: 'etc/group', kind: 'file', mode: 0o644, content: Buffer.from('root:x:0:\nuser:x:1000:\n') },
    ...Object.entries(files).map(
      ([path, text]): Entry => ({ path: path.slice(1), kind: 'file', mode: 0o755, content: Buffer.from(text) }),
    ),
    ...(await programEntries(programs)),
  ];
  // The tag is part of the name, because Podman ignores a separate one.
  const query = new URLSearchParams({ fromSrc: '-', repo: ref });
  query.append('changes', `CMD ${JSON.stringify(cmd)}`);
  for (const [key, value] of Object.entries({ PATH: programs.length > 0 ? '/bin:/usr/bin' : '/bin', ...env }))
    query.append('changes', `ENV ${key}=${JSON.stringify(value)}`);
  for (const change of changes) query.append('changes', change);
  const { status, text } = await askDocker(socketPath, 'POST', `/images/create?${query}`, tar(entries));
  if (status !== 200 || text.includes('"error"')) throw new Error(`Importing ${ref} failed: ${text}`);
}

async function programEntries(programs: readonly string[]): Promise<Entry[]> {
  if (programs.length === 0) return [];
  const paths = await debianFiles({ packages: [], programs });
  return [
    ...['lib', 'lib64'].map((name): Entry => ({ path: name, kind: 'link', to: `usr/${name}` })),
    ...paths.map((path): Entry => ({ path: path.slice(1), kind: 'file', mode: 0o755, content: readFileSync(path) })),
  ];
}

/**
 * Builds the image once. On a shared engine, a second import would move the name to another image while containers of
 * other tests use the first.
 */
export async function sharedBusyboxImage(socketPath: string, ref: string, options?: ImageOptions): Promise<void> {
  await using _ = await takeTurn(`image-${ref}`);
  const { status } = await askDocker(socketPath, 'GET', `/images/${ref}/json`);
  if (status !== 200) await busyboxImage(socketPath, ref, options);
}

export function busyboxPath(): string {
  const path = ['/bin/busybox', '/usr/bin/busybox'].find((text) => existsSync(text));
  if (path === undefined) throw new Error('busybox is not installed; run: apt-get install -y busybox-static');
  return path;
}

export function repository(ref: string): { repo: string; tag: string } {
  const colon = ref.lastIndexOf(':');
  if (colon <= ref.lastIndexOf('/')) return { repo: ref, tag: 'latest' };
  return { repo: ref.slice(0, colon), tag: ref.slice(colon + 1) };
}
