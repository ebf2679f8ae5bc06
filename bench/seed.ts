import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const IMAGE = 'hortus.bench/seed:1';
export const SERVE = ['httpd', '-f', '-p', '8080', '-h', '/www'];
export const PAGE = '/www/index.html';

/** A species with one container, a volume, limits and a network. Its image exists before the measurement. */
const seed = `
slug: seed
name: Seed
description: A small web server for the bench.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: hortus.bench/seed, tag: "1"}
command: ${JSON.stringify(SERVE)}
storage: [{name: data, mount_path: /data}]
resources: {cpu: "0.5", memory: 64Mi}
healthcheck: {http: {port: 8080, path: /index.html}, interval: 5s, timeout: 1s, retries: 3, start_period: 10s}
deadline: 60s
actions:
  - {name: Nothing, slug: nothing, type: exec, command: ["true"], timeout: 30s}
`;

/** A variant for redeployments: it handles SIGTERM, and the input ROUND changes it. */
const shrub = `${seed.replace('slug: seed', 'slug: shrub')}
init: true
inputs: {optional: [{name: ROUND, type: string, default: none}]}
env: {ROUND: "\${inputs.ROUND}"}
`;

/** Writes 5,000 lines a second. */
const chatty = seed
  .replace('slug: seed', 'slug: chatty')
  .replace(
    /^command: .*$/m,
    `command: [sh, -c, 'httpd -p 8080 -h /www; while :; do seq 1000000000001 1000000000500; sleep 0.1; done']`,
  );

/** Writes hostile lines without end, as fast as half a core can. */
const flood = seed
  .replace('slug: seed', 'slug: flood')
  .replace(
    /^command: .*$/m,
    `command: [sh, -c, 'httpd -p 8080 -h /www; yes "$(head -c 20000 /dev/zero | tr "\\\\0" "\\\\r")x"']`,
  );

/** A hundred containers that write nothing. */
const quiet = `
slug: quiet
name: Quiet
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: hortus.bench/seed, tag: "1"}
command: [sleep, "1000000"]
stop_signal: SIGKILL
replicas: 100
deadline: 600s
`;

/** Writes a catalog folder with all species. */
export function seedCatalog(folder: string): string {
  for (const [slug, text] of Object.entries({ seed, shrub, chatty, flood, quiet })) {
    mkdirSync(join(folder, 'website', slug), { recursive: true });
    writeFileSync(join(folder, 'website', slug, 'template.yaml'), text);
  }
  return folder;
}
