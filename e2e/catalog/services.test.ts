import { hasOwnEngine, shareCatalogInstallation } from './catalog-installation.ts';
import { flows } from './services/flows.ts';
import { monitoring } from './services/monitoring.ts';
import { nats } from './services/nats.ts';
import { rabbitmq } from './services/rabbitmq.ts';
import { tools } from './services/tools.ts';
import { websites } from './services/websites.ts';

if (hasOwnEngine) {
  const catalog = shareCatalogInstallation(
    'rabbitmq',
    'nats',
    'mosquitto',
    'node-red',
    'prometheus-stack',
    'prometheus',
    'registry',
    'adminer',
    'static-site',
    'nginx',
    'haproxy',
    'caddy',
  );
  const groups = [rabbitmq, monitoring, flows, tools, websites, nats];
  for (const declare of groups) declare(catalog);
}
