import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { debianFiles, type Wanted } from './debian-files.ts';
import { askDocker } from './docker-request.ts';
import { busyboxPath, repository } from './images.ts';
import { type Entry, tarMembers } from './images-tar.ts';

/** An image that imitates a published one: same paths, user, entrypoint and environment, with software from Debian. */
export type DebianImage = Wanted & {
  /** Name and id of a user, whose group has the same name. */
  user?: readonly [name: string, id: number];
  /** Folders owned by the user. */
  folders?: readonly string[];
  /** Folders that every user may write to, such as those of sockets. */
  sharedFolders?: readonly string[];
  /** Further files, by absolute path. */
  files?: Readonly<Record<string, string>>;
  /** Additional links: `{ '/usr/bin/registry': 'docker-registry' }`. */
  links?: Readonly<Record<string, string>>;
  /** A script in `entrypoints/` that gets the command as arguments; by default the command runs directly. */
  entrypoint?: string;
  /** Instructions of a Dockerfile: `CMD ["x"]`, `USER 99`, `VOLUME /data`. */
  changes: readonly string[];
};

const entrypoints = join(import.meta.dirname, 'entrypoints');
const usrLinks = ['bin', 'sbin', 'lib', 'lib64'];

/** Builds the image from software installed on this machine and tags it with all names. */
export async function makeDebianImage(socketPath: string, refs: readonly string[], image: DebianImage): Promise<void> {
  const [first, ...others] = refs;
  if (first === undefined) return;
  const files = await debianFiles(image);
  const query = new URLSearchParams({ fromSrc: '-', ...repository(first) });
  const entrypoint = image.entrypoint ? [`ENTRYPOINT ["/entrypoint.sh"]`] : [];
  const path = 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  for (const change of [path, 'ENV LANG=C.UTF-8', ...entrypoint, ...image.changes]) query.append('changes', change);
  const ours = generated(image, new Set(files));
  // Engines reject archives with duplicate paths; our files win over those of packages.
  const written = new Set(ours.map((entry) => `/${entry.path.replace(/\/$/, '')}`));
  const body = Readable.from(
    archive(
      ours,
      files.filter((path) => !written.has(path)),
    ),
  );
  const { status, text } = await askDocker(socketPath, 'POST', `/images/create?${query}`, body);
  if (status !== 200 || text.includes('"error"')) throw new Error(`Importing ${first} failed: ${text}`);
  for (const ref of others) {
    const named = await askDocker(socketPath, 'POST', `/images/${first}/tag?${new URLSearchParams(repository(ref))}`);
    if (named.status !== 201) throw new Error(`Naming ${ref} failed: ${named.text}`);
  }
}

/** Concatenates our entries and an archive of the machine's files. */
async function* archive(entries: readonly Entry[], files: readonly string[]): AsyncGenerator<Buffer> {
  yield tarMembers(entries);
  const relative = files.map((path) => path.slice(1)).join('\0');
  const child = spawn('tar', ['--create', '--directory=/', '--no-recursion', '--null', '--files-from=-'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    complaint += chunk;
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  child.stdin.on('error', () => {});
  child.stdin.end(relative);
  yield* child.stdout;
  if ((await ended) !== 0) throw new Error(`tar failed: ${complaint.slice(0, 500)}`);
}

/** Busybox provides the shell and small tools where no package does. */
function generated(image: DebianImage, taken: ReadonlySet<string>): Entry[] {
  const folders = [
    'usr/',
    'usr/bin/',
    'usr/sbin/',
    'usr/lib/',
    'usr/lib64/',
    'etc/',
    'proc/',
    'sys/',
    'dev/',
    'run/',
    'var/',
  ];
  const busybox = busyboxPath();
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const isFree = (name: string) =>
    !taken.has(`/usr/bin/${name}`) && !taken.has(`/usr/sbin/${name}`) && name !== 'busybox';
  const [user, id] = image.user ?? ['nobody', 65534];
  const text = (path: string, content: string, mode = 0o644): Entry => ({
    path: path.slice(1),
    kind: 'file',
    mode,
    content: Buffer.from(content),
  });
  return [
    ...folders.map((path): Entry => ({ path, kind: 'folder', mode: 0o755 })),
    { path: 'tmp/', kind: 'folder', mode: 0o1777 },
    { path: 'var/run', kind: 'link', to: '/run' },
    ...usrLinks.map((name): Entry => ({ path: name, kind: 'link', to: `usr/${name}` })),
    { path: 'usr/bin/busybox', kind: 'file', mode: 0o755, content: readFileSync(busybox) },
    ...applets.filter(isFree).map((name): Entry => ({ path: `usr/bin/${name}`, kind: 'link', to: '/usr/bin/busybox' })),
    text('/etc/passwd', `root:x:0:0::/root:/bin/sh\n${user}:x:${id}:${id}::/:/bin/sh\n`),
    text('/etc/group', `root:x:0:\n${user}:x:${id}:\n`),
    ...(image.folders ?? []).map(
      (path): Entry => ({ path: `${path.slice(1)}/`, kind: 'folder', mode: 0o755, owner: id }),
    ),
    ...(image.sharedFolders ?? []).map(
      (path): Entry => ({ path: `${path.slice(1)}/`, kind: 'folder', mode: 0o3777, owner: id }),
    ),
    ...Object.entries(image.links ?? {}).map(([path, to]): Entry => ({ path: path.slice(1), kind: 'link', to })),
    ...Object.entries(image.files ?? {}).map(([path, content]) => text(path, content)),
    ...(image.entrypoint
      ? [text('/entrypoint.sh', readFileSync(join(entrypoints, image.entrypoint), 'utf8'), 0o755)]
      : []),
  ];
}
