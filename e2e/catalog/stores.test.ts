import { hasOwnEngine, shareCatalogInstallation } from './catalog-installation.ts';
import { bindings } from './stores/bindings.ts';
import { caches } from './stores/caches.ts';
import { clusterDumps } from './stores/cluster-dumps.ts';
import { majors } from './stores/majors.ts';
import { mariadb } from './stores/mariadb.ts';
import { postgres } from './stores/postgres.ts';
import { restores } from './stores/restores.ts';
import { returns } from './stores/returns.ts';

if (hasOwnEngine) {
  const catalog = shareCatalogInstallation('postgres', 'mariadb', 'phpmyadmin', 'redis', 'valkey', 'memcached');
  const groups = [majors, returns, mariadb, postgres, caches, clusterDumps, bindings, restores];
  for (const declare of groups) declare(catalog);
}
