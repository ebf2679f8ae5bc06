import { existsSync, globSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Run } from './run-command.ts';

export type DebianPackage = {
  name: string;
  /** Commands in PATH or absolute paths with `*`; any one of them proves that the package is installed. */
  proof: readonly string[];
};

/** Debian packages required by the tests. */
export const debianPackages: readonly DebianPackage[] = [
  { name: 'postgresql', proof: ['/usr/lib/postgresql/*/bin/postgres', 'postgres'] },
  // Three servers of PostgreSQL that fail over, and the store of their leases.
  { name: 'patroni', proof: ['patroni'] },
  { name: 'python3-etcd', proof: ['/usr/lib/python3/dist-packages/etcd'] },
  { name: 'etcd-server', proof: ['etcd'] },
  { name: 'docker.io', proof: ['dockerd'] },
  { name: 'docker-registry', proof: ['docker-registry'] },
  { name: 'iptables', proof: ['iptables'] },
  { name: 'podman', proof: ['podman'] },
  { name: 'runc', proof: ['runc'] },
  { name: 'netavark', proof: ['/usr/lib/podman/netavark', '/usr/libexec/podman/netavark'] },
  { name: 'aardvark-dns', proof: ['/usr/lib/podman/aardvark-dns', '/usr/libexec/podman/aardvark-dns'] },
  // Init process that Podman uses for containers.
  { name: 'catatonit', proof: ['catatonit'] },
  { name: 'busybox-static', proof: ['/bin/busybox', '/usr/bin/busybox'] },
  { name: 'caddy', proof: ['caddy'] },
  { name: 'curl', proof: ['curl'] },
  // Serves repositories that gardens are followed in.
  { name: 'git', proof: ['git'] },
  // Chromium without its own windows, which cost more processor than the pages of the console.
  { name: 'chromium-headless-shell', proof: ['/usr/lib/chromium/chromium-headless-shell'] },
  // Shells whose completion is tested, and the checker of the manual page.
  { name: 'zsh', proof: ['zsh'] },
  { name: 'fish', proof: ['fish'] },
  { name: 'mandoc', proof: ['mandoc'] },
  // Reads the programs in images for other processors.
  { name: 'binutils', proof: ['readelf'] },
  // Installs the Debian on which packages are tried.
  { name: 'mmdebstrap', proof: ['mmdebstrap'] },
  // Receives the mails of the service.
  { name: 'python3-aiosmtpd', proof: ['aiosmtpd'] },
  // Software for the catalog images that packages/testkit/src/debian-images.ts builds.
  { name: 'adminer', proof: ['/usr/share/adminer/adminer.php'] },
  { name: 'caddy', proof: ['caddy'] },
  { name: 'docker-registry', proof: ['docker-registry'] },
  { name: 'haproxy', proof: ['haproxy'] },
  { name: 'mariadb-client', proof: ['mariadb-dump'] },
  { name: 'mariadb-server-core', proof: ['mariadbd'] },
  { name: 'memcached', proof: ['memcached'] },
  { name: 'mosquitto', proof: ['mosquitto'] },
  { name: 'mosquitto-clients', proof: ['mosquitto_pub'] },
  { name: 'nats-server', proof: ['nats-server'] },
  { name: 'nginx-light', proof: ['nginx'] },
  // Also prevents adminer from installing a web server.
  { name: 'php-cgi', proof: ['php-cgi'] },
  { name: 'php-cli', proof: ['php'] },
  { name: 'php-mysql', proof: ['/usr/lib/php/*/mysqli.so'] },
  { name: 'php-pgsql', proof: ['/usr/lib/php/*/pgsql.so'] },
  { name: 'php-sqlite3', proof: ['/usr/lib/php/*/sqlite3.so'] },
  { name: 'prometheus', proof: ['prometheus'] },
  { name: 'rabbitmq-server', proof: ['rabbitmqctl'] },
  { name: 'redis-server', proof: ['redis-server'] },
];

/** Debian packages required by the benchmarks. */
export const benchPackages: readonly DebianPackage[] = [
  { name: 'wrk', proof: ['wrk'] },
  { name: 'util-linux', proof: ['taskset'] },
];

export function missingPackages(wanted: readonly DebianPackage[] = debianPackages): string[] {
  return wanted.filter(({ proof }) => !proof.some(isThere)).map(({ name }) => name);
}

function isThere(proof: string): boolean {
  if (proof.startsWith('/')) return globSync(proof).length > 0;
  // sbin may be missing in PATH, but its programs can be run.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(join(folder, proof)));
}

const withoutRecommendations = ['install', '-y', '--no-install-recommends'];

/** Installs missing packages, or throws with the install command. */
export async function installMissingPackages(run: Run, wanted = debianPackages): Promise<void> {
  const missing = missingPackages(wanted);
  if (missing.length === 0) return;
  const command = ['apt-get', ...withoutRecommendations, ...missing];
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(
      `These Debian packages are missing: ${missing.join(', ')}. Run as root, then try again:\n  apt-get update && ${command.join(' ')}`,
    );
  }
  console.error(`Installing Debian packages: ${missing.join(', ')} ...`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await withServicesLeftAlone(async () => {
    for (const argv of [['apt-get', 'update'], command]) {
      const code = await run(argv, { env, quiet: true });
      if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`);
    }
  });
  const still = missingPackages(wanted);
  if (still.length > 0) throw new Error(`Installed, but not found where expected: ${still.join(', ')}`);
}

const policy = '/usr/sbin/policy-rc.d';

/**
 * Prevents Debian from starting daemons when their packages are installed: the tests start and stop their own engines. In
 * policy-rc.d, 101 means "not allowed".
 */
async function withServicesLeftAlone(work: () => Promise<void>): Promise<void> {
  if (existsSync(policy)) return await work();
  await writeFile(policy, '#!/bin/sh\nexit 101\n');
  await chmod(policy, 0o755);
  try {
    await work();
  } finally {
    await rm(policy, { force: true });
  }
}
