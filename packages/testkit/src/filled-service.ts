import {
  addServer,
  beginDeployment,
  connectServer,
  deployWhole,
  type Owned,
  type ReportedServer,
} from './reported-servers.ts';

/** Names of servers, and the share of their memory and CPU that is used. */
const servers = { beech: 61, birch: 38, cedar: 74, larch: 22, maple: 47, rowan: 93 };

/** Species whose only required input is their host name. */
const species = [
  'actual',
  'audiobookshelf',
  'bookstack',
  'changedetection',
  'code-server',
  'docuseal',
  'etherpad',
  'excalidraw',
  'forgejo',
  'freshrss',
  'ghost',
  'gitea',
  'grafana',
  'grocy',
  'homepage',
  'immich',
  'it-tools',
  'jenkins',
  'karakeep',
  'keycloak',
  'linkwarden',
  'listmonk',
  'loki',
  'mattermost',
  'mealie',
  'memos',
  'metabase',
  'miniflux',
  'n8n',
  'nextcloud',
  'nocodb',
  'ntfy',
  'odoo',
  'paperless-ngx',
  'plausible',
  'prometheus',
  'umami',
  'uptime-kuma',
  'vaultwarden',
  'wordpress',
];

const unhealthy = ['ghost', 'umami'];

/**
 * Fills a service with 40 instances on 6 servers, two of them unhealthy, and one more that is being deployed. Returns the
 * servers.
 */
export async function fillService(service: Owned): Promise<ReportedServer[]> {
  const reported: ReportedServer[] = [];
  for (const [name, percent] of Object.entries(servers)) {
    const server = await addServer(service, name, percent);
    await connectServer(service, server);
    reported.push(server);
  }
  for (const [i, slug] of species.entries()) {
    const server = reported[i % reported.length];
    if (server) await deployWhole(service, server, slug, slug, unhealthy.includes(slug) ? 'unhealthy' : 'healthy');
  }
  if (reported[3]) await beginDeployment(service, reported[3], 'vikunja', 'vikunja');
  return reported;
}
