import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type AppFiles, appFiles } from './debian-apps.ts';
import { debianFiles, type Wanted } from './debian-files.ts';
import { askDocker } from './docker-request.ts';
import { type Base, type Bases, baseEntries, baseFiles, baseOf } from './image-bases.ts';
import { repository } from './images.ts';
import { type Entry, tarMembers } from './images-tar.ts';
import { type NpmApp, npmFiles } from './npm-app.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * An image that imitates a published one: same paths, user, entrypoint, environment and tools, with software from Debian or
 * npm.
 */
export type DebianImage = Wanted & {
  bases: Bases;
  /** Applications that are not installed on this machine; replaces the files of the base. */
  app?: AppFiles;
  npm?: NpmApp;
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
  /** Programs: a script in `entrypoints/` by absolute path. */
  scripts?: Readonly<Record<string, string>>;
  /** A script in `entrypoints/` that gets the command as arguments; by default the command runs directly. */
  entrypoint?: string;
  /** Instructions of a Dockerfile: `CMD ["x"]`, `USER 99`, `VOLUME /data`. */
  changes: readonly string[];
};

const entrypoints = join(import.meta.dirname, 'entrypoints');
const usrLinks = ['bin', 'sbin', 'lib', 'lib64'];

/** Files of an image and the folder on this machine that stands for its root. */
interface FileSet {
  readonly root: string;
  /** Absolute paths inside the root. */
  readonly paths: readonly string[];
  /** A folder that has another place in the image. */
  readonly moved?: readonly [from: string, to: string];
}

/** Names the variant of an image that a tag asks for: its base and, for an application from npm, its version. */
export function variantOf({ bases, npm }: DebianImage, tag: string): string {
  const base = baseOf(bases, tag);
  return npm === undefined ? base : `${base}-${/^\d+\.\d+\.\d+/.exec(tag)?.[0] ?? 'unknown'}`;
}

/** Builds a variant of the image and tags it with all names. */
export async function makeDebianImage(
  socketPath: string,
  refs: readonly string[],
  image: DebianImage,
  variant: string,
): Promise<void> {
  const [first, ...others] = refs;
  if (first === undefined) return;
  const [base, version] = variant.split('-') as [Base, string?];
  const sets = await fileSets(image, base, version);
  const query = new URLSearchParams({ fromSrc: '-', ...repository(first) });
  const entrypoint = image.entrypoint ? [`ENTRYPOINT ["/entrypoint.sh"]`] : [];
  const path = 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  for (const change of [path, 'ENV LANG=C.UTF-8', ...entrypoint, ...image.changes]) query.append('changes', change);
  const ours = generated(image, base, new Set(sets.flatMap(({ paths }) => paths)));
  const { status, text } = await askDocker(
    socketPath,
    'POST',
    `/images/create?${query}`,
    Readable.from(archive(ours, sets)),
  );
  if (status !== 200 || text.includes('"error"')) throw new Error(`Importing ${first} failed: ${text}`);
  for (const ref of others) {
    const named = await askDocker(socketPath, 'POST', `/images/${first}/tag?${new URLSearchParams(repository(ref))}`);
    if (named.status !== 201) throw new Error(`Naming ${ref} failed: ${named.text}`);
  }
}

async function fileSets(image: DebianImage, base: Base, version: string | undefined): Promise<FileSet[]> {
  const { bases, packages, programs = [], also = [], app, npm } = image;
  const below = app === undefined ? baseFiles(base) : { packages: [] };
  const own = await debianFiles({
    packages: [...below.packages, ...packages],
    programs: [...(below.programs ?? []), ...programs, ...(bases[base] ?? [])],
    also,
  });
  return [
    { root: '/', paths: own },
    ...(app === undefined ? [] : [await appFiles(app, base)]),
    ...(npm === undefined ? [] : [await npmFiles(npm, version)]),
  ];
}

/** Concatenates our entries and an archive of the files. Engines reject duplicate paths; ours win, then the first set. */
async function* archive(entries: readonly Entry[], sets: readonly FileSet[]): AsyncGenerator<Buffer> {
  yield tarMembers(entries);
  const written = new Set(entries.map(({ path }) => `/${path.replace(/\/$/, '')}`));
  await using folder = temporaryFolder('image');
  const from = sets.flatMap(({ root, paths, moved }, index) => {
    const list = join(folder.path, `files-${index}`);
    const place = (path: string) => (moved && path.startsWith(`${moved[0]}/`) ? path.replace(...moved) : path);
    const fresh = paths.filter((path) => !written.has(place(path)));
    for (const path of fresh) written.add(place(path));
    writeFileSync(list, fresh.map((path) => `${path.slice(1)}\0`).join(''));
    return [`--directory=${root}`, `--files-from=${list}`];
  });
  // Names only: links point where they did.
  const moves = sets.flatMap(({ moved }) => moved ?? []).map((path) => path.slice(1));
  const transform = moves.length === 0 ? [] : [`--transform=flags=r;s,^${moves[0]}/,${moves[1]}/,`];
  const child = spawn('tar', ['--create', '--no-recursion', '--null', ...transform, ...from], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    complaint += chunk;
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  yield* child.stdout;
  if ((await ended) !== 0) throw new Error(`tar failed: ${complaint.slice(0, 500)}`);
}

function generated(image: DebianImage, base: Base, taken: ReadonlySet<string>): Entry[] {
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
  const [user, id] = image.user ?? ['nobody', 65534];
  const home = image.folders?.includes(`/home/${user}`) ? `/home/${user}` : '/';
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
    ...baseEntries(base, taken),
    text('/etc/passwd', `root:x:0:0::/root:/bin/sh\n${user}:x:${id}:${id}::${home}:/bin/sh\n`),
    text('/etc/group', `root:x:0:\n${user}:x:${id}:\n`),
    ...(image.folders ?? []).map(
      (path): Entry => ({ path: `${path.slice(1)}/`, kind: 'folder', mode: 0o755, owner: id }),
    ),
    ...(image.sharedFolders ?? []).map(
      (path): Entry => ({ path: `${path.slice(1)}/`, kind: 'folder', mode: 0o3777, owner: id }),
    ),
    ...Object.entries(image.links ?? {}).map(([path, to]): Entry => ({ path: path.slice(1), kind: 'link', to })),
    ...Object.entries(image.files ?? {}).map(([path, content]) => text(path, content)),
    ...Object.entries({ ...image.scripts, ...(image.entrypoint && { '/entrypoint.sh': image.entrypoint }) }).map(
      ([path, script]) => text(path, readFileSync(join(entrypoints, script), 'utf8'), 0o755),
    ),
  ];
}
