import { existsSync, readFileSync } from 'node:fs';
import { askDocker } from './docker-request.ts';
import { type Entry, tar } from './images-tar.ts';
import { takeTurn } from './turn.ts';

export type ImageOptions = {
  /** What a container of it runs; a shell that sleeps for long unless given. */
  cmd?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** More instructions of a Dockerfile, one a line: `EXPOSE 80`, `VOLUME /data`. */
  changes?: readonly string[];
  /** Files besides, by absolute path. */
  files?: Readonly<Record<string, string>>;
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

/** Makes an image of a static busybox under `ref`: small, made in a moment, and no registry is needed. */
export async function busyboxImage(socketPath: string, ref: string, options: ImageOptions = {}): Promise<void> {
  const binary = busyboxPath();
  const { cmd = ['sleep', '100000'], env = {}, changes = [], files = {} } = options;
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
  ];
  // The tag in the name, because Podman reads none beside it.
  const query = new URLSearchParams({ fromSrc: '-', repo: ref });
  query.append('changes', `CMD ${JSON.stringify(cmd)}`);
  for (const [key, value] of Object.entries({ PATH: '/bin', ...env }))
    query.append('changes', `ENV ${key}=${JSON.stringify(value)}`);
  for (const change of changes) query.append('changes', change);
  const { status, text } = await askDocker(socketPath, 'POST', `/images/create?${query}`, tar(entries));
  if (status !== 200 || text.includes('"error"')) throw new Error(`Importing ${ref} failed: ${text}`);
}

/**
 * The same, made by the first who needs it. On an engine that several share another import would give the name to another
 * image, while containers of somebody else run the first.
 */
export async function sharedBusyboxImage(socketPath: string, ref: string, options?: ImageOptions): Promise<void> {
  await using _ = await takeTurn(`image-${ref}`);
  const { status } = await askDocker(socketPath, 'GET', `/images/${ref}/json`);
  if (status !== 200) await busyboxImage(socketPath, ref, options);
}

export function busyboxPath(): string {
  const path = ['/bin/busybox', '/usr/bin/busybox'].find((one) => existsSync(one));
  if (path === undefined) throw new Error('busybox is not installed; run: apt-get install -y busybox-static');
  return path;
}

export function repository(ref: string): { repo: string; tag: string } {
  const colon = ref.lastIndexOf(':');
  if (colon <= ref.lastIndexOf('/')) return { repo: ref, tag: 'latest' };
  return { repo: ref.slice(0, colon), tag: ref.slice(colon + 1) };
}
