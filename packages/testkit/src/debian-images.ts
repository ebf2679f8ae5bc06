import { appImages } from './app-images.ts';
import { type DebianImage, makeDebianImage, variantOf } from './debian-image.ts';
import { repository } from './images.ts';
import { phpImages } from './php-images.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';

const nginxConf = `user nginx;
pid /var/run/nginx.pid;
events {}
http {
  include /etc/nginx/mime.types;
  access_log /dev/stdout;
  include /etc/nginx/conf.d/*.conf;
}
error_log /dev/stderr notice;
`;

const adminerPage = `<?php
$server = htmlspecialchars(getenv('ADMINER_DEFAULT_SERVER') ?: 'db');
ob_start(fn ($page) => str_replace('name="auth[server]" value=""', "name='auth[server]' value='$server'", $page));
include '/usr/share/adminer/adminer.php';
`;

const redis: DebianImage = {
  bases: { debian: [], alpine: [] },
  packages: ['redis-server', 'redis-tools'],
  programs: ['setpriv'],
  user: ['redis', 999],
  folders: ['/data'],
  entrypoint: 'redis.sh',
  changes: ['WORKDIR /data', 'VOLUME /data', 'CMD ["redis-server"]'],
};

/**
 * Substitutes for images of the catalog, by repository. Versions are Debian's and mostly older than the tag; the
 * interface to templates is the same. `bases` lists the tools of the published image, so that a health check or action with
 * another one fails here too.
 */
const debianImages: Readonly<Record<string, DebianImage>> = {
  'docker.io/library/postgres': {
    bases: { debian: [], alpine: ['bash'] },
    packages: ['postgresql-[0-9]*', 'postgresql-client-[0-9]*'],
    programs: ['setpriv'],
    also: ['/usr/lib/locale/C.utf8/**', '/usr/share/zoneinfo/Etc/*'],
    user: ['postgres', 999],
    folders: ['/var/lib/postgresql/data'],
    sharedFolders: ['/run/postgresql'],
    entrypoint: 'postgres.sh',
    changes: [
      `ENV PATH=${findPostgresBinaries()}:/usr/sbin:/usr/bin:/sbin:/bin PGDATA=/var/lib/postgresql/data`,
      'VOLUME /var/lib/postgresql/data',
      'CMD ["postgres"]',
    ],
  },
  'docker.io/library/mariadb': {
    bases: { debian: [] },
    packages: ['mariadb-server-core', 'mariadb-client', 'mariadb-client-core'],
    programs: ['setpriv'],
    user: ['mysql', 999],
    folders: ['/var/lib/mysql', '/run/mysqld'],
    scripts: { '/usr/local/bin/healthcheck.sh': 'healthcheck.sh' },
    entrypoint: 'mariadb.sh',
    changes: ['VOLUME /var/lib/mysql', 'CMD ["mariadbd"]'],
  },
  'docker.io/library/redis': redis,
  // Debian has no Valkey. It is a fork of Redis 7.2 with the same commands, so Redis stands in for it.
  'docker.io/valkey/valkey': {
    ...redis,
    links: { '/usr/bin/valkey-server': 'redis-server', '/usr/bin/valkey-cli': 'redis-cli' },
    changes: ['WORKDIR /data', 'VOLUME /data', 'CMD ["valkey-server"]'],
  },
  'docker.io/library/memcached': {
    bases: { debian: [], alpine: [] },
    packages: ['memcached'],
    user: ['memcache', 11211],
    changes: ['USER memcache', 'CMD ["memcached"]'],
  },
  'docker.io/library/rabbitmq': {
    bases: { debian: [], alpine: ['bash'] },
    packages: ['rabbitmq-server', 'erlang-*'],
    programs: ['setpriv'],
    also: ['/usr/lib/erlang/bin/*', '/usr/lib/erlang/releases/**'],
    user: ['rabbitmq', 999],
    folders: ['/var/lib/rabbitmq', '/var/log/rabbitmq'],
    files: {
      '/etc/rabbitmq/enabled_plugins': '[rabbitmq_management].\n',
      '/etc/rabbitmq/conf.d/10-defaults.conf': 'loopback_users.guest = false\nlog.console = true\n',
    },
    entrypoint: 'rabbitmq.sh',
    changes: [
      'ENV PATH=/usr/lib/rabbitmq/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/var/lib/rabbitmq RABBITMQ_LOGS=-',
      'VOLUME /var/lib/rabbitmq',
      'CMD ["rabbitmq-server"]',
    ],
  },
  'docker.io/library/nats': {
    bases: { scratch: [], alpine: [] },
    packages: ['nats-server'],
    changes: ['ENTRYPOINT ["nats-server"]', 'CMD ["--config", "nats-server.conf"]'],
  },
  'docker.io/library/eclipse-mosquitto': {
    bases: { alpine: [] },
    packages: ['mosquitto', 'mosquitto-clients'],
    user: ['mosquitto', 1883],
    folders: ['/mosquitto', '/mosquitto/data', '/mosquitto/config', '/mosquitto/log'],
    entrypoint: 'mosquitto.sh',
    changes: ['VOLUME /mosquitto/data', 'CMD ["mosquitto", "-c", "/mosquitto/config/mosquitto.conf"]'],
  },
  'docker.io/library/nginx': {
    bases: { debian: ['curl'], alpine: ['curl'] },
    packages: ['nginx', 'nginx-light', 'nginx-common'],
    user: ['nginx', 101],
    folders: ['/var/cache/nginx'],
    files: { '/etc/nginx/nginx.conf': nginxConf },
    changes: ['CMD ["nginx", "-g", "daemon off;"]'],
  },
  'docker.io/library/caddy': {
    bases: { alpine: [] },
    packages: ['caddy'],
    changes: [
      'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data',
      'WORKDIR /srv',
      'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
    ],
  },
  'docker.io/library/haproxy': {
    bases: { debian: [], alpine: [] },
    packages: ['haproxy'],
    user: ['haproxy', 99],
    folders: ['/var/lib/haproxy'],
    entrypoint: 'haproxy.sh',
    changes: [
      'USER haproxy',
      'WORKDIR /var/lib/haproxy',
      'CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]',
    ],
  },
  'docker.io/library/registry': {
    bases: { alpine: [] },
    packages: ['docker-registry'],
    links: { '/usr/bin/registry': 'docker-registry' },
    entrypoint: 'registry.sh',
    changes: ['VOLUME /var/lib/registry', 'CMD ["/etc/distribution/config.yml"]'],
  },
  'docker.io/prom/prometheus': {
    bases: { busybox: [] },
    packages: ['prometheus'],
    user: ['nobody', 65534],
    folders: ['/prometheus'],
    changes: [
      'USER nobody',
      'WORKDIR /prometheus',
      'VOLUME /prometheus',
      'ENTRYPOINT ["prometheus"]',
      'CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]',
    ],
  },
  'docker.io/library/adminer': {
    bases: { alpine: ['curl'] },
    packages: ['adminer', ...['cli', 'common', 'mysql', 'pgsql', 'sqlite3'].map((part) => `php[0-9]*-${part}`)],
    // Package installation enables extensions and sets the default version.
    also: ['/etc/php/*/cli/**', '/usr/bin/php'],
    user: ['adminer', 999],
    folders: ['/var/lib/php/sessions'],
    files: { '/var/www/html/index.php': adminerPage },
    changes: ['USER adminer', 'WORKDIR /var/www/html', 'CMD ["php", "-S", "0.0.0.0:8080", "-t", "/var/www/html"]'],
  },
};

/** Builds the images that Debian has software for, under the requested names; returns the other references. */
export async function makeDebianImages(socketPath: string, refs: Iterable<string>): Promise<string[]> {
  return (await make(socketPath, refs, (_, names) => names)).missing;
}

export interface StandIns {
  /** Local image by reference without digest and by repository, for the image substitutes of a daemon. */
  readonly substitutes: Readonly<Record<string, string>>;
  /** References that Debian has nothing for. */
  readonly missing: readonly string[];
}

/** Builds one local image for each repository and variant. Other tags of a repository get its first one. */
export async function makeStandIns(socketPath: string, refs: Iterable<string>): Promise<StandIns> {
  const substitutes: Record<string, string> = {};
  const { missing } = await make(socketPath, refs, (variant, names) => {
    const { repo } = repository(names[0] ?? '');
    const local = `hortus-test/${repo.split('/').slice(1).join('-')}:${variant}`;
    substitutes[repo] ??= local;
    for (const name of names) substitutes[name] = local;
    return [local];
  });
  return { substitutes, missing };
}

/** Builds the stand-in for a published image under another name. */
export async function makeStandIn(socketPath: string, published: string, ref: string): Promise<void> {
  const { missing } = await make(socketPath, [published], () => [ref]);
  if (missing.length > 0) throw new Error(`Debian has nothing for ${published}`);
}

async function make(
  socketPath: string,
  refs: Iterable<string>,
  named: (variant: string, refs: string[]) => readonly string[],
): Promise<{ missing: string[] }> {
  const withoutDigest = new Set([...refs].map((ref) => ref.split('@', 1)[0] as string));
  const missing: string[] = [];
  // One after another: the disk is the bottleneck, and the machine has other work.
  for (const [name, names] of Map.groupBy(withoutDigest, (ref) => repository(ref).repo)) {
    const image = debianImages[name] ?? appImages[name] ?? phpImages[name];
    if (image === undefined) missing.push(...names);
    else
      for (const [variant, ofVariant] of Map.groupBy(names, (ref) => variantOf(image, repository(ref).tag)))
        await makeDebianImage(socketPath, named(variant, ofVariant), image, variant);
  }
  return { missing };
}
