import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedBusyboxImage } from '@hortus/testkit/images';

/** Image of the test species: busybox under a name that no registry has. */
export const PAGE_IMAGE = 'hortus.test/page';

/** Text with every character that could be mangled on its way into a container. */
export const AWKWARD = `it's "quoted" $HOME \${HOME} $$ # not a comment \\ back\nsecond line\t`;

/** One container with a web page, a volume, a file, limits, a secret, and actions with visible effects. */
const website = (image: string, healthPath = '/') => `
slug: website
name: Website
description: A small web server.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${image}, tag: "1"}
inputs:
  optional:
    - {name: GREETING, type: text, default: hello}
    - {name: HEALTH_PATH, type: string, default: ${healthPath}}
secrets:
  TOKEN: {generate: password, length: 32}
env: {GREETING: "\${inputs.GREETING}", TOKEN: "\${secrets.TOKEN}"}
command: [httpd, -f, -p, "8080", -h, /www]
stop_signal: SIGKILL
files: [{mount_path: /www/index.html, mode: "0644", content: "\${inputs.GREETING}"}]
storage: [{name: data, mount_path: /data, critical: true}]
resources: {cpu: "0.5", memory: 64Mi}
healthcheck: {http: {port: 8080, path: "\${inputs.HEALTH_PATH}"}, interval: 1s, timeout: 1s, retries: 3, start_period: 3s}
deadline: 60s
actions:
  - {name: Write a line, slug: note, type: exec, command: [sh, -c, 'echo "$1" >> /data/lines; echo "wrote $1"', note, "\${params.line}"],
     timeout: 30s, params: [{name: line, type: text, required: true}]}
  - {name: Wait and write a line, slug: wait, type: exec, timeout: 60s, params: [{name: line, type: text, required: true}],
     command: [sh, -c, 'until [ -e "/data/go-$1" ]; do sleep 0.05; done; echo "$1" >> /data/lines; echo "wrote $1"', wait, "\${params.line}"]}
  - {name: Read the lines, slug: lines, type: exec, command: [cat, /data/lines], timeout: 30s}
  - {name: Fail, slug: fail, type: exec, command: [sh, -c, "echo no; exit 3"], timeout: 30s}
backup: {strategy: volume, volumes: [{name: data, critical: true}], schedule_hint: daily}
`;

/** A page behind a route. `stateless` can run twice at once; `stateful` has a volume. */
export const page = (slug: string, more = '', { image = PAGE_IMAGE, deadline = '60s' } = {}) => `
slug: ${slug}
name: ${slug}
description: A page behind a route.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${image}, tag: "1"}
inputs:
  required:
    - {name: WEB_HOSTNAME, type: domain}
  optional:
    - {name: GREETING, type: text, default: hello}
    - {name: HEALTH_PATH, type: string, default: /}
routes: [{name: web, port: 8080, host: "\${inputs.WEB_HOSTNAME}", path: /, tls: "off", primary: true}]
command: [httpd, -f, -p, "8080", -h, /www]
stop_signal: SIGKILL
files: [{mount_path: /www/index.html, mode: "0644", content: "\${inputs.GREETING}"}]
healthcheck: {http: {port: 8080, path: "\${inputs.HEALTH_PATH}"}, interval: 200ms, timeout: 1s, retries: 3, start_period: 2s}
deadline: ${deadline}
${more}
`;

interface CatalogOptions {
  /** Image of the species. */
  image?: string | undefined;
  /** Additional templates by slug. */
  species?: Record<string, string> | undefined;
}

/** Writes a catalog folder with the test species, including `unhealthy` and `missing-image` variants of `website`. */
export function writeCatalog(folder: string, { image = PAGE_IMAGE, species: more = {} }: CatalogOptions = {}): string {
  const called = (slug: string, text: string) => text.replace('slug: website', `slug: ${slug}`);
  const species = {
    website: website(image),
    // It never becomes healthy, so a short start period saves time.
    unhealthy: called('unhealthy', website(image, '/nothing-here'))
      .replace('interval: 1s', 'interval: 200ms')
      .replace('start_period: 3s', 'start_period: 500ms'),
    'missing-image': called('missing-image', website(image).replace('tag: "1"', 'tag: none')),
    stateless: page('stateless', '', { image }),
    'two-replicas': page('two-replicas', 'replicas: 2', { image }),
    stateful: page('stateful', 'storage: [{name: data, mount_path: /data, critical: true}]', { image }),
    ...more,
  };
  for (const [slug, text] of Object.entries(species)) {
    mkdirSync(join(folder, 'website', slug), { recursive: true });
    writeFileSync(join(folder, 'website', slug, 'template.yaml'), text);
  }
  return folder;
}

export const makePageImage = (socketPath: string): Promise<void> => sharedBusyboxImage(socketPath, `${PAGE_IMAGE}:1`);
