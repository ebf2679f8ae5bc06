import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const IMAGE = 'hortus.bench/seed:1';
export const SERVE = ['httpd', '-f', '-p', '8080', '-h', '/www'];
export const PAGE = '/www/index.html';

/** One container, as a person would run it by hand: a volume, limits, a network. Its image is there before the clock starts. */
const seed = `
slug: seed
name: Seed
description: A small web server that the bench grows.
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

/** The same as it is redeployed: it ends when it is told to, and a round makes it another. */
const shrub = `${seed.replace('slug: seed', 'slug: shrub')}
init: true
inputs: {optional: [{name: ROUND, type: string, default: none}]}
env: {ROUND: "\${inputs.ROUND}"}
`;

/** A catalog folder with these two species. */
export function seedCatalog(folder: string): string {
  for (const [slug, text] of Object.entries({ seed, shrub })) {
    mkdirSync(join(folder, 'website', slug), { recursive: true });
    writeFileSync(join(folder, 'website', slug, 'template.yaml'), text);
  }
  return folder;
}
