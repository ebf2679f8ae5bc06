import type { Component } from '@hortus/contract/template/component';
import { describe, expect, it } from 'vitest';
import { importCompose } from './import-compose.ts';

/** What a service that says this (beside its image) becomes. */
function component(said: string, more = ''): Component {
  const result = importCompose(`services:\n  app:\n    image: a:1\n${said.replace(/^/gm, '    ')}\n${more}`);
  expect(result.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return result.template?.components?.app ?? {};
}
const dropped = (said: string, more = '') =>
  importCompose(`services:\n  app:\n    image: a:1\n${said.replace(/^/gm, '    ')}\n${more}`).dropped.map(
    ({ path }) => path,
  );

describe('scalars as Compose reads them', () => {
  it.each([
    ['yes', 'yes'],
    ['off', 'off'],
    ['True', 'true'],
    ['0755', '493'],
    ['0o17', '15'],
    ['0x1F', '31'],
    ['1_000', '1000'],
    ['12:30:45', '12:30:45'],
    ['1.50', '1.5'],
    ['"0755"', '0755'],
    ['12345678901234567890', '12345678901234567890'],
    ["'~'", '~'],
    ['2001-01-01', '2001-01-01'],
  ])('%s is %s', (written, read) => {
    expect(component(`environment: {A: ${written}}`).env).toEqual({ A: read });
  });
});

describe('interpolated strings', () => {
  it.each([
    ['$$HOME', '$HOME'],
    ['$$${A:-x}', '$${inputs.A}'],
    ['${A-x}', '${inputs.A}'],
    ['${A:+set}', '${vars.a_if_set:-}'],
    ['${A:-{x}}', '${inputs.A}}'],
    ['${A:-${B:?b}}', '${inputs.A:-${inputs.B}}'],
    ['$${vars.x}', '${vars.dollar}{vars.x}'],
    ['${env.HOME', '${vars.dollar}{env.HOME'],
  ])('%s is %s', (written, text) => {
    expect(component(`environment: ['T=${written}']`).env).toEqual({ T: text });
  });

  it('keep the default of each use if uses differ', () => {
    const { env } = component("environment: ['A=${X:-one}', 'B=${X:-two}', 'C=${X}']");
    expect(env).toEqual({ A: '${inputs.X:-one}', B: '${inputs.X:-two}', C: '${inputs.X:-}' });
  });
});

describe('commands', () => {
  it.each([
    [`"a 'b c' \\"d e\\" f\\\\ g"`, ['a', 'b c', 'd e', 'f g']],
    [`"run --x=\${X:-1} \${Y}"`, ['run', '--x=${inputs.X}', '${inputs.Y:-}']],
    [`"run \${FLAGS:---a --b}"`, ['run', '--a', '--b']],
    [`["a b", 1, true]`, ['a b', '1', 'true']],
    [`"sh -c 'a && b > c'"`, ['sh', '-c', 'a && b > c']],
  ])('%s', (written, words) => {
    expect(component(`command: ${written}`).command).toEqual(words);
  });

  it('are reported if they cannot be expressed', () => {
    expect(dropped('command: a && b')).toEqual(['services.app.command']);
    expect(dropped('entrypoint: ""')).toEqual(['services.app.entrypoint']);
  });
});

describe('ports', () => {
  it.each([
    ['"53:53/udp"', [{ container_port: 53, host_port: 53, protocol: 'udp' }]],
    ['"127.0.0.1:5432:5432"', [{ container_port: 5432, host_port: 5432, host_ip: '127.0.0.1' }]],
    ['"[::1]:5432:5432"', [{ container_port: 5432, host_port: 5432, host_ip: '::1' }]],
    ['"${DB_PORT:-5433}:5432"', [{ container_port: 5432, host_port: '${inputs.DB_PORT}' }]],
    ['3000', [{ container_port: 3000 }]],
    ['"1883-1884:1883-1884/udp"', [{ container_port: 1883, last_port: 1884, host_port: 1883, protocol: 'udp' }]],
    ['"10000-10100:20000-20100"', [{ container_port: 20_000, last_port: 20_100, host_port: 10_000 }]],
    ['{target: 7000-7002, published: 8000-8002}', [{ container_port: 7000, last_port: 7002, host_port: 8000 }]],
    ['{target: 22, published: 2022}', [{ container_port: 22, host_port: 2022 }]],
  ])('%s', (written, ports) => {
    expect(component(`ports: [${written}]`).ports).toEqual(ports);
  });

  it('of a huge range, or from a variable, are reported', () => {
    expect(dropped('ports: ["10000-20000:10000-20000/udp"]')).toEqual(['services.app.ports[0]']);
    expect(dropped('ports: ["${PORT}"]')).toEqual(['services.app.ports[0]']);
  });
});

describe('health checks', () => {
  it.each([
    ['{disable: true}', { disabled: true }],
    ['{test: [NONE]}', { disabled: true }],
  ])('%s', (written, check) => {
    expect(component(`healthcheck: ${written}`).healthcheck).toEqual(check);
  });

  it('get the default times of Compose', () => {
    expect(component('healthcheck: {test: [CMD-SHELL, "a | b"]}').healthcheck).toEqual({
      test: ['/bin/sh', '-c', 'a | b'],
      interval: '30s',
      timeout: '30s',
      start_period: '0s',
      retries: 3,
    });
  });
});

describe('mounts', () => {
  it('may use one volume twice or have no name', () => {
    expect(component('volumes: [data:/a, data:/b, /cache]').storage).toEqual([
      { name: 'data', mount_path: '/a', critical: true, shared: true },
      { name: 'data', mount_path: '/b', critical: true, shared: true },
      { name: 'cache', mount_path: '/cache' },
    ]);
  });

  it('are created for configs and secrets', () => {
    const more = `configs: {site: {content: "a=\${A:-1}"}, there: {external: true}}
secrets: {db-password: {file: ./pw.txt}, licence: {file: ./licence}, token: {environment: TOKEN}}`;
    const files = component(
      'configs: [{source: site, target: /etc/site, mode: 0440}, there]\nsecrets: [db-password, licence, token]',
      more,
    ).files;
    expect(files).toEqual([
      { mount_path: '/etc/site', content: 'a=${inputs.A}', mode: '0440' },
      { mount_path: '/there', content: '${inputs.FILE_THERE}', mode: '0444' },
      { mount_path: '/run/secrets/db-password', content: '${secrets.DB_PASSWORD}', mode: '0444' },
      { mount_path: '/run/secrets/licence', content: '${secrets.LICENCE}', mode: '0444' },
      { mount_path: '/run/secrets/token', content: '${inputs.TOKEN:-}', mode: '0444' },
    ]);
  });
});

describe('services that inherit from others', () => {
  it('by merge keys: the first of several wins', () => {
    const text = `x-a: &a {user: "1", working_dir: /a}
x-b: &b {user: "2", tty: true}
services: {app: {<<: [*a, *b], image: "a:1", tty: false}}`;
    expect(importCompose(text).template?.components?.app).toMatchObject({ user: '1', working_dir: '/a' });
    expect(importCompose(text).template?.components?.app?.tty).toBeUndefined();
  });

  it('by extends in the same file; extends of another file is reported', () => {
    const text = `services:
  base: {image: "a:1", environment: {A: 1, B: 2}}
  app: {extends: {service: base}, environment: [B=3]}
  far: {extends: {service: x, file: other.yaml}, image: "b:1"}`;
    const { template, dropped: lost } = importCompose(text);
    expect(template?.components?.app).toMatchObject({ image: 'a:1', env: { A: '1', B: '3' } });
    expect(lost).toEqual([expect.objectContaining({ path: 'services.far.extends', line: 4, refused: true })]);
  });

  it('in a Compose profile are left out of other profiles', () => {
    const { template, findings } = importCompose(`services:
  app: {image: "a:1"}
  debug: {image: "b:1", profiles: [tools], volumes: [d:/d]}`);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(template?.profiles?.development).toMatchObject({ components: { debug: null } });
    expect(template?.profiles?.tools).toBeUndefined();
  });
});
