import { execFile } from 'node:child_process';
import { existsSync, globSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unneeded } from './debian-files.ts';
import type { Base } from './image-bases.ts';
import { cachedFolder } from './test-cache.ts';

const run = promisify(execFile);

/** Increased when the packages below change. */
const EDITION = 2;
/** Applications of the catalog with their runtimes. Installing them on this machine would bring web servers and databases along. */
const packages = `
  wordpress wordpress-theme-twentytwentythree mediawiki phpmyadmin roundcube-core roundcube-sqlite3 roundcube-plugins
  dovecot-imapd exim4-daemon-light
  redmine redmine-pgsql puma jupyter-notebook jupyter-nbconvert jupyter-server python3-pip prometheus-alertmanager
  prometheus-blackbox-exporter prometheus-node-exporter curl
  apache2 libapache2-mod-php php-cli php-mysql php-pgsql php-sqlite3 php-gd php-intl php-mbstring php-xml php-zip php-curl
  php-redis`
  .trim()
  .split(/\s+/);
/** Answers that keep packages from setting up a database during their installation. */
const replies = [
  'redmine redmine/instances/default/dbconfig-install boolean false',
  'phpmyadmin phpmyadmin/dbconfig-install boolean false',
  'roundcube-core roundcube/dbconfig-install boolean false',
  'phpmyadmin phpmyadmin/reconfigure-webserver multiselect',
];
const leftOut = ['/usr/share/doc/*', '/usr/share/locale/*', '/usr/share/man/*'];

export interface AppFiles {
  /** Packages with everything they depend on. */
  readonly closure?: readonly string[];
  /** Packages without their dependencies, such as an application whose image brings no database client. */
  readonly alone?: readonly string[];
  /** Files created during installation; `*` is allowed. */
  readonly also?: readonly string[];
  /** A folder of Debian that the published image has in another place. */
  readonly moved?: readonly [from: string, to: string];
}

/** Lists the files of these packages in a cached Debian, which is installed once per machine. */
export async function appFiles({ closure = [], alone = [], also = [], moved }: AppFiles, base: Base) {
  const root = await installedApps();
  const lists = fileLists(root);
  const listed = [...dependencies(root, closure, base), ...alone].flatMap((name) => filesOf(lists, name));
  const more = also.flatMap((path) => globSync(path.slice(1), { cwd: root })).map((path) => `/${path}`);
  const paths = [...listed, ...more]
    .map((path) => path.replace(/^\/(bin|sbin|lib|lib64)\//, '/usr/$1/'))
    .filter((path) => !unneeded.some((pattern) => pattern.test(path)))
    .filter((path) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined);
  const found = new Set(paths);
  for (const path of alternatives(root, found)) found.add(path);
  return { root, paths: [...found].sort(), ...(moved && { moved }) };
}

/** Finds commands such as php and awk: links over /etc/alternatives to programs of these packages. */
function alternatives(root: string, found: ReadonlySet<string>): string[] {
  const links = globSync('usr/{bin,sbin}/*', { cwd: root }).filter((path) =>
    lstatSync(join(root, path)).isSymbolicLink(),
  );
  return links.flatMap((path) => {
    const over = readlinkSync(join(root, path));
    const isAlternative = over.startsWith('/etc/alternatives/');
    return isAlternative && found.has(readlinkSync(join(root, over))) ? [`/${path}`, over] : [];
  });
}

async function installedApps(): Promise<string> {
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1];
  if (suite === undefined) throw new Error('/etc/os-release names no Debian release; applications come from one');
  return await cachedFolder(`debian-apps-${suite}-${process.arch}-${EDITION}`, async (draft) => {
    const sources = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].find((path) =>
      existsSync(path),
    );
    await run(
      'mmdebstrap',
      [
        ...['--variant=essential', `--include=${packages.join()}`, '--aptopt=APT::Install-Recommends "false"'],
        ...leftOut.map((path) => `--dpkgopt=path-exclude=${path}`),
        `--essential-hook=printf '${replies.join('\\n')}\\n' | chroot "$1" debconf-set-selections`,
        ...[suite, draft, ...(sources === undefined ? [] : [sources])],
      ],
      { maxBuffer: 64 * 2 ** 20 },
    );
  });
}

/**
 * Returns the given packages and what they depend on, in the first alternative that is installed; on Debian also the essential
 * packages.
 */
function dependencies(root: string, wanted: readonly string[], base: Base): Set<string> {
  const status = readFileSync(join(root, 'var/lib/dpkg/status'), 'utf8').split('\n\n').map(fieldsOf);
  const installed = new Map(status.map((fields) => [fields.Package ?? '', fields]));
  for (const fields of status)
    for (const name of namesIn(fields.Provides).flat()) if (!installed.has(name)) installed.set(name, fields);
  const found = new Set<string>();
  const visit = (name: string) => {
    const fields = installed.get(name);
    if (fields?.Package === undefined || found.has(fields.Package)) return;
    found.add(fields.Package);
    for (const alternatives of [...namesIn(fields.Depends), ...namesIn(fields['Pre-Depends'])]) {
      const first = alternatives.find((alternative) => installed.has(alternative));
      if (first !== undefined) visit(first);
    }
  };
  for (const { Package, Essential } of status)
    if (Package !== undefined && Essential === 'yes' && base === 'debian') visit(Package);
  for (const name of wanted) {
    if (!installed.has(name)) throw new Error(`${name} is not among the packages of debian-apps.ts`);
    visit(name);
  }
  return found;
}

function fieldsOf(paragraph: string): Record<string, string> {
  return Object.fromEntries([...paragraph.matchAll(/^([A-Za-z-]+): (.*)$/gm)].map(([, key, value]) => [key, value]));
}

/** Reads `a (>= 1) | b, c:any` as `[[a, b], [c]]`. */
function namesIn(list = ''): string[][] {
  const entries = list.split(',').filter((entry) => entry.trim() !== '');
  return entries.map((entry) => entry.split('|').map((text) => text.trim().replace(/[ :(].*$/, '')));
}

/** Finds the file lists of dpkg by package, in one reading of its folder: a search for each of hundreds of packages takes seconds. */
function fileLists(root: string): ReadonlyMap<string, string> {
  const info = join(root, 'var/lib/dpkg/info');
  const lists = readdirSync(info).filter((name) => name.endsWith('.list'));
  return new Map(lists.map((name) => [name.replace(/(:[^.]*)?\.list$/, ''), join(info, name)]));
}

function filesOf(lists: ReadonlyMap<string, string>, name: string): string[] {
  const list = lists.get(name);
  if (list === undefined) throw new Error(`${name} is not among the packages of debian-apps.ts`);
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter((path) => path.length > 2);
}
