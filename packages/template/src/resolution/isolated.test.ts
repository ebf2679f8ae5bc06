import { Manifest } from '@hortus/contract/template/manifest';
import type { Template } from '@hortus/contract/template/schema';
import Compile from 'typebox/compile';
import { expect, test } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import { redact } from '../masking/redact.ts';
import { parse } from '../source/parse.ts';
import { INKWELL } from '../testing/inkwell.ts';
import { accessOf, isolated } from './isolated.ts';
import { resolve } from './resolve.ts';

/** Inkwell with a scheduled job in front of the others, so that every component after it changes its place. */
const scheduled = INKWELL.replace(
  'components:\n',
  `components:
  aaa:
    kind: job
    run: schedule
    schedule: "0 3 * * *"
    image: {repository: registry.example.org/inkwell/cron, tag: "1"}
    env: {KEY: "\${secrets.SESSION_KEY}"}
`,
);

function resolved(text = scheduled) {
  const resolution = resolve(canonical(parse(text).value as Template), {
    inputs: { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: 'hunter2' },
    secrets: { DB_PASSWORD: 'p@ss/word', SESSION_KEY: 'session-key' },
    instance: { uid: 'blog-1', name: 'Blog', server_id: 'srv_1' },
  });
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.problems));
  return resolution;
}

test('a copy has volumes of its own, and no routes, schedules, host ports or name server', () => {
  const { manifest, secretPaths } = resolved();
  const copy = isolated(manifest, secretPaths, 'copy-1').manifest;
  expect([...Compile(Manifest).Errors(copy)]).toEqual([]);
  expect(manifest.components.map(({ name }) => name)).toContain('aaa');
  expect(copy.components.map(({ name }) => name)).toEqual(['db', 'migrate', 'app']);
  expect(copy).toMatchObject({ routes: [], instance: { uid: 'copy-1', name: 'Blog' } });
  expect(copy.isolated?.routes).toEqual(manifest.routes);
  for (const { storage, dns, extra_hosts, ports, replicas } of copy.components) {
    for (const { volume } of storage) expect(volume).toMatch(/^copy-1_/);
    expect({ dns, extra_hosts, replicas }).toEqual({ dns: ['127.0.0.1'], extra_hosts: {}, replicas: 1 });
    expect(ports.filter((port) => 'host_port' in port)).toEqual([]);
  }
});

test('a copy sees the same host names and addresses as its original, which its data may contain', () => {
  const { manifest, secretPaths } = resolved();
  const copy = isolated(manifest, secretPaths, 'copy-1').manifest;
  const own = ({ components }: Manifest) =>
    components.filter(({ name }) => name !== 'aaa').map(({ host, env }) => ({ host, env }));
  expect(own(copy)).toEqual(own(manifest));
});

test('no secret of a copy can be read after components were left out', () => {
  const { manifest, secretPaths } = resolved();
  const copy = isolated(manifest, secretPaths, 'copy-1');
  const shown = JSON.stringify(redact(copy.manifest, copy.secretPaths));
  for (const secret of ['p@ss/word', 'p%40ss', 'hunter2', 'session-key']) expect(shown).not.toContain(secret);
});

test('a copy has no labels, so that no proxy or scheduler on the server takes it for the original', () => {
  const rule = 'traefik.http.routers.blog.rule';
  const labelled = scheduled.replace(
    '  app:\n',
    `  app:\n    labels: {${rule}: "Host(\`blog.example.org\`)", token: "\${secrets.SESSION_KEY}"}\n`,
  );
  const { manifest, secretPaths } = resolved(labelled);
  expect(manifest.components.flatMap(({ labels }) => Object.keys(labels))).toContain(rule);
  const copy = isolated(manifest, secretPaths, 'copy-1');
  expect(copy.manifest.components.map(({ labels }) => labels)).toEqual([{}, {}, {}]);
  expect(JSON.stringify(redact(copy.manifest, copy.secretPaths))).not.toContain('session-key');
});

test.each(['/run/postgresql', '/var/run/mysqld', '/srv/api.sock', '/dev/log', '/tmp/mysql', '/srv/unix.socket'])(
  'an application that mounts %s, with sockets of other programs, is not copied',
  (path) => {
    const { manifest } = resolved();
    expect(accessOf(manifest)).toBeUndefined();
    const storage = [{ name: 'x', host_path: path, mount_path: path, read_only: true, critical: false }];
    const components = manifest.components.map((component) => ({ ...component, storage }));
    expect(accessOf({ ...manifest, components })).toContain(path);
  },
);

test('an application with access to the server is not copied', () => {
  const { manifest } = resolved();
  const permission = {
    kind: 'docker_socket',
    component: 'app',
    reason: 'it starts others',
    needs_operator: true,
  } as const;
  expect(accessOf({ ...manifest, permissions: [permission] })).toBe('app has the permission docker_socket');
});
