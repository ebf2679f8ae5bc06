import type { Template } from '@hortus/contract/template/schema';
import { describe, expect, it } from 'vitest';
import { importCompose } from './import-compose.ts';

const imported = (text: string, files: Readonly<Record<string, string>> = {}) => {
  const result = importCompose(text, { name: 'shop', files: (path) => files[path] });
  expect(result.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return { ...result, template: result.template as Template };
};
const messages = (notes: readonly { message: string }[]) => notes.map(({ message }) => message).join('\n');

describe('the .env beside the file', () => {
  const compose =
    'services:\n  app:\n    image: app:${TAG}\n    ports: ["${HTTP_PORT}:${INNER_PORT}"]\n    environment:\n      NAME: ${NAME:-other}\n      DB_PASSWORD: ${DB_PASSWORD}\n      GREETING: ${GREETING:?say something}\n      FROM_OUTSIDE:\n';
  const env =
    'TAG=1.2.3\nHTTP_PORT=8080\nINNER_PORT=3000\nNAME="garden" # of the shop\nDB_PASSWORD=correct-horse\nGREETING=hi ${NAME}\nFROM_OUTSIDE=yes';
  const { template, dropped } = imported(compose, { '.env': env });

  it('gives defaults to inputs', () => {
    const inputs = [...(template.inputs?.required ?? []), ...(template.inputs?.optional ?? [])];
    expect(inputs).toEqual(
      expect.arrayContaining([
        { name: 'NAME', type: 'string', default: 'garden' },
        { name: 'TAG', type: 'string', default: '1.2.3' },
      ]),
    );
  });
  it('makes its passwords generated secrets', () => {
    expect(template.secrets).toEqual({ DB_PASSWORD: { generate: 'alnum', length: 32 } });
    expect(JSON.stringify(template)).not.toContain('correct-horse');
  });
  it('tells the port behind a variable', () => {
    expect(template.routes).toMatchObject([{ component: 'app', port: 3000 }]);
    expect(dropped).toEqual([]);
  });
  it('does not satisfy a variable that must not be empty with an empty value', () => {
    const text =
      'services:\n  app:\n    image: app:1.0.0\n    environment:\n      NAME: ${NAME:?who}\n      CITY: ${CITY:-Rome}\n';
    const { inputs } = imported(text, { '.env': 'NAME=\nCITY=\n' }).template;
    expect(inputs).toMatchObject({ required: [{ name: 'NAME' }], optional: [{ name: 'CITY', default: 'Rome' }] });
  });
});

it('groups, name servers and log limits are kept', () => {
  const text =
    'services:\n  app:\n    image: app:1.0.0\n    group_add: ["44", video]\n    dns: 1.1.1.1\n    logging:\n      driver: json-file\n      options: {max-size: 5m, max-file: "2"}\n';
  const { template, dropped } = imported(text);
  expect(template.components?.app).toMatchObject({
    group_add: ['44', 'video'],
    dns: ['1.1.1.1'],
    logging: { max_size: '5Mi', max_files: 2 },
  });
  expect(dropped).toEqual([]);
});

it('a variable within a mount path is a text, and one at its beginning a path', () => {
  const text =
    'services:\n  app:\n    image: app:1.0.0\n    volumes: ["/srv/${OWNER}/data:/data", "${MEDIA}/films:/films"]\n';
  const { inputs } = imported(text).template;
  const types = Object.fromEntries([...(inputs?.required ?? [])].map(({ name, type }) => [name, type]));
  expect(types).toEqual({ OWNER: 'string', MEDIA: 'path' });
});

it('a component of a profile takes its permissions with it', () => {
  const text =
    'services:\n  app:\n    image: app:1.0.0\n    ports: ["80:80"]\n  agent:\n    image: agent:1.0.0\n    profiles: [monitoring]\n    network_mode: host\n';
  const { template } = imported(text);
  expect(template.permissions).toMatchObject([{ kind: 'host_network', component: 'agent' }]);
  expect(template.profiles).toMatchObject({ production: { components: { agent: null } } });
});

it('a changed restart policy is reported, but not that of a job', () => {
  const text =
    'services:\n  app:\n    image: app:1.0.0\n    depends_on: {setup: {condition: service_completed_successfully}}\n  setup:\n    image: app:1.0.0\n';
  const { inferred } = imported(text);
  expect(inferred.filter(({ message }) => message.includes('Compose would not restart'))).toMatchObject([
    { path: 'services.app' },
  ]);
});

it('options that only concern the server are not counted as lost', () => {
  const text =
    'services:\n  app:\n    image: app:1.0.0\n    pull_policy: always\n    volumes: ["data:/data:z"]\n    healthcheck: {test: [CMD, "true"], start_interval: 2s}\nvolumes: {data: {}}\n';
  const { dropped, inferred } = imported(text);
  expect(dropped).toEqual([]);
  expect(messages(inferred)).toMatch(
    /pulled when the server does not have it[\s\S]*interval also applies|interval also/,
  );
});

describe('the way in', () => {
  const routesOf = (text: string) =>
    (imported(text).template.routes ?? []).map(({ component, port, path, scheme }) => ({
      component,
      port,
      ...(path !== undefined && { path }),
      ...(scheme !== undefined && { scheme }),
    }));
  const service = (lines: string) => `services:\n  app:\n    image: example.org/app:1.0.0\n${lines}`;

  it.each([
    [
      'labels of Traefik',
      '    labels:\n      - traefik.http.routers.app.rule=Host(`a.example`) && PathPrefix(`/api`)\n      - traefik.http.services.app.loadbalancer.server.port=8081\n',
      { port: 8081, path: '/api' },
    ],
    [
      'labels of the first Traefik',
      '    labels: {traefik.port: "8082", "traefik.frontend.rule": "Host:a.example"}\n',
      { port: 8082 },
    ],
    [
      'a scheme for Traefik',
      '    labels:\n      - traefik.http.routers.a.rule=Host(`a.example`)\n      - traefik.http.services.a.loadbalancer.server.port=9000\n      - traefik.http.services.a.loadbalancer.server.scheme=https\n',
      { port: 9000, scheme: 'https' },
    ],
    [
      'labels of Caddy',
      '    labels:\n      caddy: a.example\n      caddy.reverse_proxy: "{{upstreams 8083}}"\n',
      { port: 8083 },
    ],
    [
      'labels of Caddy for TLS',
      '    labels:\n      caddy_1: a.example\n      caddy_1.reverse_proxy: "{{upstreams https 8084}}"\n',
      { port: 8084, scheme: 'https' },
    ],
    ['variables of nginx-proxy', '    environment: {VIRTUAL_HOST: a.example, VIRTUAL_PORT: "8085"}\n', { port: 8085 }],
    ['an exposed port', '    expose: ["8086"]\n', { port: 8086 }],
    ['the variable of its port', '    environment: {PORT: 8087}\n', { port: 8087 }],
    ['an option of its command', '    command: serve --port 8088\n', { port: 8088 }],
    ['its health check', '    healthcheck: {test: curl -f http://localhost:8089/health}\n', { port: 8089 }],
    ['a port with TLS', '    ports: ["8443:8443"]\n', { port: 8443, scheme: 'https' }],
    ['a port of a variable', '    ports: ["${WEB:-8090}:80"]\n', { port: 80 }],
  ])('is read from %s', (_, lines, expected) => {
    expect(routesOf(service(lines))).toEqual([{ component: 'app', ...expected }]);
  });

  it('is known for well-known images', () => {
    expect(routesOf('services:\n  blog:\n    image: ghost:6.2.0\n')).toEqual([{ component: 'blog', port: 2368 }]);
  });

  it('is asked for where nothing tells it, and the answer is used', () => {
    const text = service('    restart: always\n');
    const { questions } = imported(text);
    expect(questions).toMatchObject([{ service: 'app', line: 2, message: expect.stringContaining('on which port') }]);
    const responded = importCompose(text, { ports: { app: 3000 } });
    expect(responded).toMatchObject({ questions: [], template: { routes: [{ component: 'app', port: 3000 }] } });
    expect(importCompose(text, { ports: { app: 0 } })).toMatchObject({ questions: [] });
  });

  it('is not asked for if no service is opened in a browser', () => {
    const text = 'services:\n  tunnel:\n    image: cloudflare/cloudflared:2026.1.0\n  cache:\n    image: redis:8.0.0\n';
    expect(imported(text)).toMatchObject({ questions: [] });
  });

  it('leads to the application and not to its workers', () => {
    const text =
      'services:\n  db: {image: "postgres:18.1"}\n  web: {image: "chatwoot/chatwoot:4.0.0", depends_on: [db]}\n  worker: {image: "chatwoot/chatwoot:4.0.0", command: bundle exec sidekiq}\n';
    expect(routesOf(text)).toEqual([{ component: 'web', port: 3000 }]);
  });

  it.each([
    ['a well-known port', '25565:25565'],
    ['a range', '7000-7002:7000-7002'],
    ['UDP', '9000:9000/udp'],
  ])('of %s stays a port of the server', (_, port) => {
    const { template } = imported(service(`    ports: ["${port}"]\n`));
    expect(template.routes).toBeUndefined();
    expect(template.permissions?.[0]).toMatchObject({ kind: 'host_port', component: 'app' });
  });

  it('of a range over 100 becomes one port entry with one permission, and comes back as a range', () => {
    const { template, dropped } = imported(
      service('    ports: ["52000-52100:52000-52100/udp"]\n    expose: ["52050/udp"]\n'),
    );
    expect(dropped).toEqual([]);
    expect(template.components?.app?.ports).toEqual([
      { container_port: 52_000, last_port: 52_100, host_port: 52_000, protocol: 'udp' },
    ]);
    expect(template.permissions).toMatchObject([{ kind: 'host_port', component: 'app', value: '52000-52100/udp' }]);
  });

  it('of a range that would cost the engine too much proposes the network of the server', () => {
    const { template, dropped } = imported(service('    ports: ["10000-20000:10000-20000/udp"]\n'));
    expect(template.components?.app?.ports).toBeUndefined();
    expect(messages(dropped)).toBe(
      'a range of 10001 ports exceeds the 500 ports of a component; with network_mode: host it would need none',
    );
  });

  it('of a number that is open for TCP and UDP stays a port of the server', () => {
    const { template } = imported(service('    ports: ["9987:9987", "9987:9987/udp"]\n'));
    expect(template.routes).toBeUndefined();
    expect(template.permissions).toHaveLength(2);
  });

  it('replaces the network of a reverse proxy', () => {
    const text = `${service('    networks: [proxy, default]\n    expose: ["80"]\n')}networks:\n  proxy: {external: true}\n`;
    const { dropped, inferred } = imported(text);
    expect(dropped).toEqual([]);
    expect(messages(inferred)).toContain('routes replace it');
  });
});

it.each(['service:vpn', 'container:abc'])('network_mode %s makes the import invalid, at its line', (mode) => {
  const text = `services:\n  vpn: {image: "gluetun:3.40.0"}\n  app:\n    image: app:1.0.0\n    network_mode: "${mode}"\n`;
  const { findings } = importCompose(text);
  expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
    { line: 5, path: 'services.app.network_mode', message: expect.stringContaining('would leave by another way') },
  ]);
});

it('services whose names differ only in their spelling stay apart', () => {
  const text =
    'services:\n  My_App: {image: "app:1.0.0", volumes: ["data:/a"], ports: ["80:80"]}\n  my-app: {image: "app:1.0.0", volumes: ["Data:/a"], ports: ["81:80"]}\nvolumes: {data: {}, Data: {}}\n';
  const { template } = imported(text);
  expect(Object.keys(template.components ?? {})).toEqual(['my-app', 'my-app-2']);
  const names = Object.values(template.components ?? {}).flatMap(({ storage = [] }) => storage.map(({ name }) => name));
  expect(new Set(names).size).toBe(2);
  expect(new Set(template.routes?.map(({ name }) => name)).size).toBe(2);
});
