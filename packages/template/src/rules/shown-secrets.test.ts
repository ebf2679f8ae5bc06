import { describe, expect, it } from 'vitest';
import { SEED } from '../testing/inkwell.ts';
import { marked } from '../testing/marked.ts';
import { validate } from '../validate.ts';

const about = (text: string) => validate(text).findings.filter(({ code }) => code === 'shown-secret');

const SECRETS = `inputs: {required: [{name: HOST, type: domain}, {name: TOKEN, type: password}]}
secrets: {KEY: {generate: hex, length: 32}, PAIR: {generate: keypair, algorithm: ed25519}, GIVEN: {external: true}, PORT: {generate: port}}
vars: {address: "https://\${secrets.KEY | urlencode}@\${inputs.HOST}", far: "\${vars.address}/x"}
needs: [{class: database.postgres, as: db, optional: true}, {class: http.thing, as: thing, optional: true}]
`;
const template = (component: string, more = '') =>
  `${SEED.replace('worker', 'application')}${SECRETS}components: {main: {${component}}}\n${more}`;

describe('a secret in a place that is shown', () => {
  it.each([
    ['the host of a route', 'routes: [{name: web, component: main, port: 80, host: "▸${secrets.KEY}.example.org"}]'],
    ['its path', 'routes: [{name: web, component: main, port: 80, host: a.example.org, path: "▸${inputs.TOKEN}"}]'],
    ['the notes', 'notes: "Sign in with ▸${secrets.KEY}."'],
    [
      'the name of an action',
      'actions: [{name: "▸${inputs.TOKEN}", slug: a, type: exec, component: main, command: [a]}]',
    ],
    [
      'its description',
      'actions: [{name: A, description: "▸${inputs.TOKEN}", slug: a, type: exec, component: main, command: [a]}]',
    ],
    [
      'the reason of a permission',
      'permissions: [{kind: host_path, component: main, value: /srv, reason: "▸${secrets.GIVEN}"}]',
    ],
  ])('is refused: %s', (_, more) => {
    const { text, at } = marked(template('env: {A: b}', more));
    expect(about(text)).toMatchObject([{ ...at, severity: 'error' }]);
  });

  it.each([
    ['a label', 'labels: {note: "▸${secrets.KEY}"}'],
    ['a hashed one', 'labels: {auth: "user:▸${secrets.KEY | bcrypt}"}'],
    ['a fallback', 'labels: {note: "▸${inputs.HOST:-${secrets.KEY}}"}'],
    ['one by way of a var', 'labels: {note: "▸${vars.far}"}'],
    ['one of a need', 'labels: {note: "▸${needs.db.url}"}'],
    ['one of a need of another class', 'labels: {note: "▸${needs.thing.api_key}"}'],
    ['a given one', 'hostname: "▸${secrets.GIVEN}"'],
    ['an image', 'image: "▸${secrets.KEY}"'],
    ['the name of a mount', 'storage: [{name: data, mount_path: "/▸${secrets.KEY}"}]'],
    ['the path of a file', 'files: [{mount_path: "/▸${secrets.KEY}", content: a}]'],
    ['a host path', 'storage: [{name: a, host_path: "/srv/▸${secrets.KEY}", mount_path: /a}]'],
    ['a port', 'ports: [{container_port: 80, host_port: "▸${inputs.TOKEN}"}]'],
    ['a memory limit', 'resources: {memory: "▸${inputs.TOKEN}"}'],
    ['a number of processors', 'resources: {cpu: "▸${inputs.TOKEN}"}'],
    ['the size of shared memory', 'shm_size: "▸${inputs.TOKEN}"'],
    ['the size of a mount in memory', 'tmpfs: [{mount_path: /tmp, size: "▸${inputs.TOKEN}"}]'],
    ['the size of a log', 'logging: {max_size: "▸${inputs.TOKEN}"}'],
  ])('is refused: %s', (_, component) => {
    const { text, at } = marked(template(component));
    expect(about(text)).toMatchObject([{ ...at, severity: 'error' }]);
  });

  it('is refused if only a profile puts it there', () => {
    const text = template('env: {A: b}', 'profiles: {production: {notes: "${secrets.KEY}"}}');
    expect(about(text)).toMatchObject([{ severity: 'error', path: 'profiles.production.notes' }]);
  });

  it('is refused as the condition of another input', () => {
    const inputs = '{name: A, type: string, when: {TOKEN: guess}}';
    const text = template('env: {A: "${inputs.A}"}').replace('{name: TOKEN', `${inputs}, {name: TOKEN`);
    expect(about(text)).toMatchObject([{ severity: 'error', path: 'inputs.required[1].when.TOKEN' }]);
  });
});

it.each([
  ['env', 'env: {A: "${secrets.KEY}", B: "${vars.far}", C: "${needs.db.url}"}'],
  ['a command', 'entrypoint: ["${secrets.KEY}"], command: ["${inputs.TOKEN}"]'],
  ['a file', 'files: [{mount_path: /a, content: "${secrets.KEY}"}]'],
  ['a health check', 'healthcheck: {http: {port: 80, headers: {authorization: "${secrets.KEY}"}}}'],
  ['a label that tells whether there is one', 'labels: {note: "${inputs.TOKEN:+protected}"}'],
  ['a label with a public key', 'labels: {note: "${secrets.PAIR.public}"}'],
  ['a generated port, which every scan finds', 'ports: [{container_port: 80, host_port: "${secrets.PORT}"}]'],
  ['a label with an address of a need', 'labels: {note: "${needs.db.host} ${needs.thing.url}"}'],
])('a secret in %s is allowed', (_, component) => {
  const more = `actions: [{name: A, slug: a, type: exec, component: main, command: ["\${secrets.KEY}"]}]
provides: [{class: storage.s3, attributes: {access_key: "\${secrets.KEY}"}}]\n`;
  expect(about(template(component, more))).toEqual([]);
});

it('a cycle of vars is only reported as such', () => {
  const text = template('labels: {note: "${vars.loop}"}').replace('vars: {', 'vars: {loop: "${vars.loop}", ');
  expect(validate(text).findings.map(({ code }) => code)).toContain('cycle');
  expect(about(text)).toEqual([]);
});
