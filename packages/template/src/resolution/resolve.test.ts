import { Manifest } from '@hortus/contract/template/manifest';
import type { Template } from '@hortus/contract/template/schema';
import fc from 'fast-check';
import Compile from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { canonical, specHash } from '../canonical/canonical.ts';
import { redact } from '../masking/redact.ts';
import { parse } from '../source/parse.ts';
import { INKWELL, SEED } from '../testing/inkwell.ts';
import { permissionsOf } from './permissions.ts';
import { type ResolveOptions, resolve } from './resolve.ts';

const inkwell = canonical(parse(INKWELL).value as Template);
const options: ResolveOptions = {
  inputs: { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: 'hunter2' },
  secrets: { DB_PASSWORD: 'p@ss/word', SESSION_KEY: 'k' },
  instance: { uid: 'blog-1', name: 'Blog', server_id: 'srv_1' },
};

function resolved(spec = inkwell, more: Partial<ResolveOptions> = {}) {
  const resolution = resolve(spec, { ...options, ...more });
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.problems));
  return resolution;
}
const seed = (more: string) => canonical(parse(`${SEED}${more}\n`).value as Template);
const component = (spec = inkwell, name = 'main', more: Partial<ResolveOptions> = {}) =>
  resolved(spec, more).manifest.components.find((component) => component.name === name);
const problems = (spec: typeof inkwell, more: Partial<ResolveOptions> = {}) => {
  const resolution = resolve(spec, { ...options, ...more });
  return resolution.ok ? [] : resolution.problems.map(({ field, message }) => `${field}: ${message}`);
};

describe('resolve', () => {
  it('returns a manifest that matches its schema and contains the spec hash', () => {
    const { manifest } = resolved();
    expect([...Compile(Manifest).Errors(manifest)]).toEqual([]);
    expect(manifest).toMatchObject({
      species: 'inkwell',
      spec_hash: specHash(inkwell),
      profile: 'development',
      variant: 'debian',
    });
    expect(manifest.deadline_ms).toBe(600_000);
  });

  it('addresses contain the ports of an ingress that does not have the standard ones', () => {
    const ports = { http: 8080, https: 8443 };
    const at = (host: string) => resolved(inkwell, { ports, inputs: { WEB_HOSTNAME: host } }).manifest;
    expect(at('blog.example.org').routes[0]?.url).toBe('https://blog.example.org:8443');
    expect(at('blog.localhost')).toMatchObject({ notes: 'Open http://blog.localhost:8080' });
    expect(at('blog.localhost').components.find(({ name }) => name === 'app')?.env).toMatchObject({
      BASE_URL: 'http://blog.localhost:8080',
    });
  });

  it('refuses filled texts that are longer than their field can be, and names it', () => {
    const routed = seed(
      'inputs:\n  optional:\n    - {name: PATH, type: text}\n    - {name: HOST, type: text}\nenv:\n  path: "${inputs.PATH}"\n' +
        'routes:\n  - {name: web, port: 80, host: "${inputs.HOST:-a.example}", path: "/${inputs.PATH}"}',
    );
    const withInputs = (inputs: ResolveOptions['inputs']) => problems(routed, { inputs });
    expect(withInputs({ PATH: 'x'.repeat(1_023) })).toEqual([]);
    expect(withInputs({ PATH: '/'.repeat(60_000) })).toEqual([
      'routes.web.path: has 60001 characters once it is filled; at most 1024 are allowed',
    ]);
    expect(withInputs({ HOST: 'x'.repeat(254) })).toEqual([
      'routes.web.host: has 254 characters once it is filled; at most 253 are allowed',
    ]);
  });

  it('orders components by their dependencies', () => {
    expect(resolved().manifest.components.map(({ name }) => name)).toEqual(['db', 'migrate', 'app']);
  });

  it('interpolates texts, names volumes and converts quantities to numbers', () => {
    expect(component(inkwell, 'app')).toMatchObject({
      host: 'blog-1-app',
      image: 'registry.example.org/inkwell/inkwell:4.2.1',
      env: {
        BASE_URL: 'https://blog.example.org',
        DATABASE_URL: 'postgres://inkwell:p%40ss%2Fword@blog-1-db:5432/inkwell',
        SITE_TITLE: 'My blog',
        WORKERS: '2',
      },
      files: [{ mount_path: '/etc/inkwell/site.ini', mode: '0640', content: 'email = \n' }],
      storage: [
        { name: 'uploads', volume: 'blog-1_uploads', mount_path: '/srv/uploads', critical: true, read_only: false },
      ],
      healthcheck: {
        http: { port: 8080, path: '/healthz', scheme: 'http' },
        interval_ms: 5000,
        start_period_ms: 40_000,
      },
      resources: { cpus: 1, memory_bytes: 512 * 2 ** 20 },
      depends_on: { db: 'healthy', migrate: 'completed' },
    });
    expect(component(inkwell, 'db')?.image).toBe('docker.io/library/postgres:17.5');
    expect(resolved().manifest.routes[0]).toMatchObject({ url: 'https://blog.example.org', component: 'app' });
    expect(resolved().manifest.notes).toBe('Open https://blog.example.org');
  });

  it('gives local names a plain HTTP address, which needs no certificate', () => {
    const local = { inputs: { ...options.inputs, WEB_HOSTNAME: 'blog.localhost' } };
    expect(resolved(inkwell, local).manifest.routes[0]).toMatchObject({ url: 'http://blog.localhost' });
    expect(component(inkwell, 'app', local)?.env).toMatchObject({ BASE_URL: 'http://blog.localhost' });
  });

  it('lists the paths of exactly the secret values', () => {
    const { manifest, secretPaths } = resolved();
    expect(secretPaths.sort()).toEqual([
      '/components/0/env/POSTGRES_PASSWORD',
      '/components/2/env/DATABASE_URL',
      '/components/2/env/SESSION_KEY',
      '/components/2/env/SMTP_PASSWORD',
    ]);
    const shown = JSON.stringify(redact(manifest, secretPaths));
    for (const secret of ['p@ss/word', 'p%40ss', 'hunter2']) expect(shown).not.toContain(secret);
    expect(redact(manifest, secretPaths).components[0]?.env.POSTGRES_PASSWORD).toBeNull();
    expect(manifest.components[0]?.env.POSTGRES_PASSWORD).toBe('p@ss/word');
  });

  it('omits an environment variable if its input is not set', () => {
    expect(component(inkwell, 'app', { inputs: { WEB_HOSTNAME: 'a.example' } })?.env).not.toHaveProperty(
      'SMTP_PASSWORD',
    );
  });

  it('applies profile and variant', () => {
    const app = component(inkwell, 'app', { profile: 'production', variant: 'alpine' });
    expect(app).toMatchObject({
      image: 'registry.example.org/inkwell/inkwell:4.2.1-alpine',
      resources: { memory_bytes: 2 ** 30 },
    });
    expect(resolved(inkwell, { profile: 'minimal' }).manifest.spec_hash).toBe(specHash(inkwell));
  });

  it('names the invalid field', () => {
    expect(problems(inkwell, { profile: 'huge' })).toEqual([
      'profile: must be one of development, minimal, production',
    ]);
    expect(problems(inkwell, { variant: 'bsd' })).toEqual(['variant: must be one of debian, alpine']);
    expect(problems(seed(''), { variant: 'x' })).toEqual(['variant: the template has no variants']);
    expect(problems(inkwell, { inputs: {}, secrets: {} })).toEqual(
      expect.arrayContaining(['inputs.WEB_HOSTNAME: is required', 'secrets.DB_PASSWORD: has no value']),
    );
  });

  it('reports an input that leaves a component without an image', () => {
    const spec = seed(
      'inputs: {optional: [{name: IMAGE, type: string}]}\ncomponents: {main: {image: "${inputs.IMAGE}"}}',
    );
    expect(problems(spec)).toEqual(['components.main.image: has no image']);
    expect(component(spec, 'main', { inputs: { IMAGE: 'a/b:1' } })?.image).toBe('a/b:1');
  });

  it('keeps action params for run time, and no input value can imitate one', () => {
    expect(resolved().manifest.actions[0]?.command?.[3]).toBe('${params.schema_only:+--schema-only}');
    const spec = seed(`inputs: {optional: [{name: A, type: string}]}
actions: [{name: a, slug: a, type: exec, command: [echo, "\${inputs.A}", "\${params.p}"], params: [{name: p, type: string}]}]`);
    expect(resolved(spec, { inputs: { A: '$HOME' } }).manifest.actions[0]?.command).toEqual([
      'echo',
      '$HOME',
      '${params.p}',
    ]);
    expect(problems(spec, { inputs: { A: '${params.p}' } })).toEqual([
      'inputs.A: is used by an action and must not contain ${',
    ]);
  });

  it('passes any input unchanged into environment, files and arguments', () => {
    const spec = seed(`inputs: {optional: [{name: A, type: text}]}
env: {A: "<\${inputs.A}>"}
command: [run, "\${inputs.A}"]
files: [{mount_path: /f, content: "\${inputs.A}\\n"}, {mount_path: /raw, content: "\${inputs.A}", raw: true}]`);
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('$', '{', '}', '#', "'", '"', '\\', '\n', 'é', '😀', 'inputs.A') }),
        (A) => {
          const main = component(spec, 'main', { inputs: { A } });
          expect(main?.env.A).toBe(`<${A}>`);
          expect(main?.command).toEqual(['run', A]);
          expect(main?.files.map(({ content }) => content)).toEqual([`${A}\n`, '${inputs.A}']);
        },
      ),
    );
  });

  it('lists the host access that is needed, with the reasons', () => {
    const spec = seed(`inputs: {required: [{name: MEDIA, type: path}]}
storage: [{name: media, mount_path: /media, host_path: "\${inputs.MEDIA}"}]
permissions: [{kind: host_path, value: "\${inputs.MEDIA}", reason: reads the library}]`);
    const permissions = (MEDIA: string) => resolve(spec, { ...options, inputs: { MEDIA } });
    expect(permissions('/srv/media')).toMatchObject({
      ok: true,
      manifest: {
        permissions: [
          {
            kind: 'host_path',
            component: 'main',
            value: '/srv/media',
            reason: 'reads the library',
            needs_operator: false,
          },
        ],
      },
    });
    expect(permissionsOf(spec)).toMatchObject([
      { kind: 'host_path', value: '${inputs.MEDIA}', reason: 'reads the library' },
    ]);
    // An answer cannot reach further than what was declared.
    for (const path of ['/', '//', '/var/run', '/run/docker.sock']) expect(permissions(path).ok).toBe(false);
  });

  it('resolves required services, and treats their values as secret', () => {
    const spec = seed(`needs: [{class: database.postgres, as: db}, {class: cache.redis, optional: true}]
env: {DB: "\${needs.db.url}", CACHE: "\${needs.redis.host:-none}"}`);
    expect(problems(spec)).toEqual(['needs.db: is not met']);
    const { manifest, secretPaths } = resolved(spec, { needs: { db: { url: 'postgres://x' } } });
    expect(manifest.components[0]?.env).toEqual({ DB: 'postgres://x', CACHE: 'none' });
    expect(secretPaths).toEqual(['/components/0/env/DB']);
  });

  it('an unbound need falls back to an input, and is omitted without either', () => {
    const spec = seed(`inputs: {optional: [{name: HOST, type: string}]}
needs: [{class: email.smtp, as: mail, optional: true}]
vars: {host: "\${needs.mail.host:-\${inputs.HOST}}"}
env: {MAIL: "\${needs.mail.host:-\${inputs.HOST}}", SENDS: "\${vars.host:+yes}"}`);
    const env = (overrides: object) => resolved(spec, overrides).manifest.components[0]?.env;
    expect(env({})).toEqual({});
    expect(env({ inputs: { HOST: 'typed' } })).toEqual({ MAIL: 'typed', SENDS: 'yes' });
    expect(env({ inputs: { HOST: 'typed' }, needs: { mail: { host: 'bound' } } })).toEqual({
      MAIL: 'bound',
      SENDS: 'yes',
    });
  });

  it('exposes both keys of a key pair; the public one is not secret', () => {
    const spec = seed(
      'secrets: {K: {generate: keypair}}\nenv: {PUB: "${secrets.K.public}", PRIV: "${secrets.K.private}"}',
    );
    const { manifest, secretPaths } = resolved(spec, { secrets: { K: 'private', 'K.public': 'public' } });
    expect(manifest.components[0]?.env).toEqual({ PUB: 'public', PRIV: 'private' });
    expect(secretPaths).toEqual(['/components/0/env/PRIV']);
  });

  it('takes a host port from an input', () => {
    const spec = seed(`inputs: {optional: [{name: PORT, type: port, default: 53}]}
ports: [{container_port: 53, host_port: "\${inputs.PORT}", protocol: udp}]
permissions: [{kind: host_port, reason: answers names}]`);
    expect(component(spec)?.ports).toEqual([{ container_port: 53, host_port: 53, protocol: 'udp' }]);
  });

  it('writes out a range of ports, whose permission stays a range', () => {
    const spec = seed(`ports: [{container_port: 10, last_port: 12, host_port: 20}, {container_port: 80}]
permissions: [{kind: host_port, value: 20-22, reason: carries calls}]`);
    const { manifest } = resolved(spec, {});
    expect(manifest.components[0]?.ports).toEqual([
      { container_port: 10, host_port: 20, protocol: 'tcp' },
      { container_port: 80, protocol: 'tcp' },
      { container_port: 11, host_port: 21, protocol: 'tcp' },
      { container_port: 12, host_port: 22, protocol: 'tcp' },
    ]);
    expect(manifest.permissions).toMatchObject([{ kind: 'host_port', value: '20-22', reason: 'carries calls' }]);
  });

  it('gives the same manifest for the same arguments', () => {
    const spec = seed('secrets: {P: {generate: password}}\nenv: {HASH: "${secrets.P | bcrypt}"}');
    const once = resolved(spec, { secrets: { P: 'x' } });
    expect(resolved(spec, { secrets: { P: 'x' } })).toEqual(once);
    expect(once.secretPaths).toEqual(['/components/0/env/HASH']);
  });
});
