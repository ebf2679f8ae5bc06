import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { makeDebianImage } from '@hortus/testkit/debian-image';

const run = promisify(execFile);

/**
 * Makes the image that a Dockerfile begins with, from packages of this machine: those that the Dockerfile installs and their
 * dependencies, so that a package which it forgets is missing here too. The Dockerfile is then built unchanged.
 */
export async function makeInstalledDebian(
  socketPath: string,
  dockerfile: string,
  user: readonly [name: string, id: number],
): Promise<void> {
  const text = await readFile(dockerfile, 'utf8');
  const base = /^FROM (\S+)$/m.exec(text)?.[1];
  const wanted = /apt-get install -y --no-install-recommends ([^\\]+)\\/.exec(text)?.[1]?.trim().split(/\s+/);
  if (base === undefined || wanted === undefined) throw new Error(`${dockerfile} installs no packages.`);
  const image = {
    bases: { debian: [] },
    packages: await withDependencies(wanted),
    user,
    // Everything is installed already.
    links: { '/usr/bin/apt-get': 'true' },
    changes: [],
  };
  await makeDebianImage(socketPath, [base], image, 'debian');
}

/** Adds the packages that others depend on. Of alternatives, every installed one is taken. */
async function withDependencies(packages: readonly string[]): Promise<string[]> {
  const format = '${Package}\t${Depends}, ${Pre-Depends}\n';
  const { stdout } = await run('dpkg-query', ['--show', `--showformat=${format}`], { maxBuffer: 2 ** 26 });
  const lines = stdout.split('\n').map((line) => line.split('\t') as [string, string]);
  const dependencies = new Map(
    lines.map(([name, depends = '']) => [name, depends.match(/(?<=^|[,|] ?)[a-z0-9][^ ,:]*/g)]),
  );
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name) || !dependencies.has(name)) return;
    found.add(name);
    for (const other of dependencies.get(name) ?? []) visit(other);
  };
  for (const name of packages) visit(name);
  return [...found];
}
