import type { Template } from '@hortus/contract/template/schema';
import { describe, expect, it } from 'vitest';
import { SHOP } from '../shop.fixture.ts';
import { importCompose } from './import-compose.ts';

const imported = (text: string) => {
  const result = importCompose(text, { name: 'Shop' });
  expect(result.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return { ...result, template: result.template as Template };
};
const input = (template: Template, name: string) =>
  [...(template.inputs?.required ?? []), ...(template.inputs?.optional ?? [])].find((item) => item.name === name);

describe('importing a Compose file', () => {
  const { template, inferred, dropped } = imported(SHOP);
  const { web, 'shop-db': db, migrate } = template.components ?? {};

  it('derives name, slug and description', () => {
    expect(template).toMatchObject({
      slug: 'shop',
      name: 'Shop',
      description: 'A shop for seeds.',
      links: { documentation: 'https://example.org/docs' },
      taxonomy: { family: 'online_shop', tags: ['shop', 'seeds'] },
    });
  });

  it('drops nothing', () => {
    expect(dropped).toEqual([]);
  });

  it('turns variables into inputs of a suitable type', () => {
    expect(input(template, 'CURRENCY')).toEqual({ name: 'CURRENCY', type: 'string', default: 'EUR' });
    expect(input(template, 'SMTP_PASSWORD')).toEqual({ name: 'SMTP_PASSWORD', type: 'password' });
    expect(template.inputs?.required).toContainEqual({
      name: 'LICENSE',
      type: 'string',
      description: 'the licence you were sent',
    });
    expect(web?.env).toMatchObject({
      CURRENCY: '${inputs.CURRENCY}',
      SMTP_HOST: '${inputs.SMTP_HOST:-}',
      GREETING: '${inputs.GREETING:-${inputs.DEFAULT_GREETING}}',
      DEBUG: 'no',
      PRICE: '$5',
      PASSED_ON: '${inputs.PASSED_ON}',
    });
    expect(web?.image).toBe('registry.example.org/shop/web:${inputs.TAG}');
  });

  it('turns passwords into secrets, wherever they are', () => {
    expect(template.secrets).toEqual({
      POSTGRES_PASSWORD: { generate: 'alnum', length: 32 },
      SESSION_SECRET: { generate: 'alnum', length: 32 },
    });
    expect(web?.env?.DATABASE_URL).toBe('postgres://shop:${secrets.POSTGRES_PASSWORD}@shop_db:5432/shop');
    expect(JSON.stringify(template)).not.toMatch(/meadow-42|changeme-please/);
    expect(JSON.stringify(inferred)).not.toMatch(/meadow-42|changeme-please/);
  });

  it('turns the web port into a route and keeps other ports', () => {
    expect(template.routes).toEqual([
      { name: 'web', component: 'web', port: 3000, host: '${inputs.WEB_HOSTNAME}', primary: true },
    ]);
    expect(web?.ports).toEqual([
      { container_port: 3000 },
      { container_port: 9000, host_port: 9443, protocol: 'udp' },
      { container_port: 3001 },
    ]);
    expect(template.permissions).toEqual([
      { kind: 'host_port', component: 'web', value: '9443/udp', reason: 'From the Compose file: publishes port 9000' },
    ]);
  });

  it('keeps dependencies and names of components', () => {
    expect(web?.depends_on).toEqual({ 'shop-db': 'healthy', migrate: 'completed' });
    expect(migrate).toMatchObject({ kind: 'job', restart: 'no', command: ['node', 'migrate.js'] });
    expect(web?.aliases).toEqual(['web', 'shop_web']);
    expect(db?.aliases).toEqual(['shop_db']);
  });

  it('keeps storage, files, health checks and limits', () => {
    expect(web?.storage).toEqual([
      { name: 'uploads', mount_path: '/srv/uploads', critical: true },
      { name: 'pages', mount_path: '/srv/pages', critical: true, read_only: true },
    ]);
    expect(web?.files).toEqual([{ mount_path: '/etc/site.conf', content: '${inputs.FILE_SITE_CONF}' }]);
    expect(web?.tmpfs).toEqual([{ mount_path: '/tmp', size: '64Mi' }]);
    expect(web?.healthcheck).toMatchObject({
      test: ['wget', '-q', 'http://127.0.0.1:3000/'],
      interval: '90s',
      retries: 5,
    });
    expect(db?.healthcheck).toMatchObject({ test: ['/bin/sh', '-c', 'pg_isready -U $POSTGRES_USER'], timeout: '2s' });
    expect(web?.resources).toEqual({ cpu: '0.5', memory: '512Mi' });
    expect(db?.ulimits).toEqual({ nofile: { soft: 1024, hard: 4096 } });
    expect(web?.command).toEqual(['node', 'server.js', '--title', 'Seeds & more', '--port', '3000']);
    expect(web?.restart).toBe('unless-stopped');
  });

  it('reports each inference with its position', () => {
    for (const { line, column, path, message } of inferred) {
      expect([line > 1, column >= 1, path !== '', message !== '']).toEqual([true, true, true, true]);
    }
    const password = inferred.find(({ message }) => message.includes('POSTGRES_PASSWORD'));
    expect(password).toMatchObject({ path: 'services.shop_db.environment[1]' });
    expect(SHOP.split('\n')[(password?.line ?? 0) - 1]).toContain('POSTGRES_PASSWORD=');
  });
});

describe('files beside the Compose file', () => {
  it('are included if they are given', () => {
    const files: Record<string, string> = {
      './site.conf': 'listen ${port};\n',
      'app.env': 'A=1\nDB_PASSWORD="hidden-7"\n',
    };
    const text = 'services: {web: {image: "a:1", env_file: app.env, volumes: ["./site.conf:/etc/site.conf"]}}';
    const { template, dropped } = importCompose(text, { files: (path) => files[path] });
    expect(template?.components?.web?.files).toEqual([
      { mount_path: '/etc/site.conf', content: 'listen ${port};\n', raw: true },
    ]);
    expect(template?.components?.web?.env).toEqual({ A: '1', DB_PASSWORD: '${secrets.DB_PASSWORD}' });
    expect(dropped).toEqual([]);
  });

  it('are parsed without comments and surrounding blanks, in linear time', () => {
    const blanks = ' '.repeat(200_000);
    const text = 'services: {web: {image: "a:1", env_file: app.env}}';
    const content = `A= 1 # one\nexport B=x${blanks}y\nC=z#1${blanks}\nD = "q # r"`;
    const { template } = importCompose(text, { files: () => content });
    expect(template?.components?.web?.env).toMatchObject({ A: '1', C: 'z#1', D: 'q # r' });
  });
});

describe('variables that another deployment tool fills by their names', () => {
  const { template } = imported(`services:
  app:
    image: a:1
    environment:
      - SERVICE_URL_APP_3000
      - SERVICE_URL_API_4000=/api
      - HOME_PAGE=\${SERVICE_URL_APP}
      - HOST=$SERVICE_FQDN_APP
      - DB=mysql://$SERVICE_USER_DB:\${SERVICE_PASSWORD_64_DB}@db/x
      - KEY=\${SERVICE_REALBASE64_64_KEY}
      - HEX=\${SERVICE_HEX_32_TOKEN}
      - ANON=\${SERVICE_SUPABASEANON_KEY}
    volumes:
      - type: bind
        source: ./nginx.conf
        target: /etc/nginx.conf
        content: |
          proxy_pass \${upstream.host};
`);

  it('become routes, secrets and files', () => {
    expect(template.routes).toEqual([
      { name: 'app', component: 'app', port: 3000, host: '${inputs.WEB_HOSTNAME}', primary: true },
      { name: 'api', component: 'app', port: 4000, host: '${inputs.API_HOSTNAME}', path: '/api' },
    ]);
    expect(template.secrets).toEqual({
      SERVICE_USER_DB: { generate: 'username', length: 16 },
      SERVICE_PASSWORD_64_DB: { generate: 'alnum', length: 64 },
      SERVICE_REALBASE64_64_KEY: { generate: 'base64', length: 64, unit: 'bytes' },
      SERVICE_HEX_32_TOKEN: { generate: 'hex', length: 32 },
      SERVICE_SUPABASEANON_KEY: {
        generate: 'jwt',
        signed_with: 'SERVICE_PASSWORD_JWT',
        claims: { iss: 'supabase', role: 'anon' },
      },
      SERVICE_PASSWORD_JWT: { generate: 'alnum', length: 32 },
    });
    expect(template.components?.app?.env).toMatchObject({
      HOME_PAGE: '${routes.app.url}',
      HOST: '${routes.app.host}',
      DB: 'mysql://${secrets.SERVICE_USER_DB}:${secrets.SERVICE_PASSWORD_64_DB}@db/x',
    });
    expect(template.components?.app?.files).toEqual([
      { mount_path: '/etc/nginx.conf', content: 'proxy_pass ${upstream.host};\n', raw: true },
    ]);
  });
});

describe('a variable', () => {
  const secretsOf = (name: string, value: string) =>
    Object.keys(
      importCompose(`services: {a: {image: "b:1", environment: {${name}: "${value}"}}}`).template?.secrets ?? {},
    );

  it.each([
    'ADMIN_PASSWORD',
    'DB_PASS',
    'JWT_SECRET',
    'API_KEY',
    'SECRET_KEY_BASE',
    'GF_SECURITY_ADMIN_PASSWORD',
    'Token',
  ])('%s is recognised as a password and generated', (name) =>
    expect(secretsOf(name, 'forget-me-not')).toHaveLength(1),
  );

  it.each([
    ['ALLOW_EMPTY_PASSWORD', 'yes'],
    ['MYSQL_RANDOM_ROOT_PASSWORD', 'indeed'],
    ['PASSWORD_FILE', '/run/secrets/x'],
    ['NEXT_PUBLIC_API_KEY', 'pk-1234'],
    ['DB_PASSWORD', ''],
    ['USE_TOKEN', 'true'],
    ['MONKEY', 'banana'],
  ])('%s: %s is not a password', (name, value) => {
    expect(secretsOf(name, value)).toEqual([]);
  });
});
