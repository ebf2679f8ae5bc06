import { CanonicalTemplate, type Template } from '@hortus/contract/template/schema';
import { describe, expect, it } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import type { Canonical } from '../canonical/canonical-form.ts';
import { redact } from '../masking/redact.ts';
import { type ResolveOptions, resolve } from '../resolution/resolve.ts';
import { checkSchema, isMapping } from '../schema/schema-check.ts';
import { parse } from '../source/parse.ts';
import { SEED } from '../testing/inkwell.ts';
import { predict, type Resolved } from './predict.ts';

/** A number, so that it also fits where a resolution computes one; nothing else in a manifest contains it. */
const SECRET = '54321';
const FORMER = '53123';

const SPEC = canonical(
  parse(`${SEED.replace('worker', 'application')}
inputs: {required: [{name: TOKEN, type: password}]}
secrets: {KEY: {generate: hex, length: 32}}
vars: {indirect: "\${secrets.KEY}"}
notes: text
routes: [{name: web, component: main, port: 80, host: a.example.org, path: /x, primary: true}]
components:
  main:
    image: {repository: registry.example.org/a, tag: "1.0", digest: "sha256:${'0'.repeat(64)}"}
    env: {A: text}
    command: [text]
    entrypoint: [text]
    user: text
    group_add: [text]
    working_dir: /text
    storage: [{name: data, mount_path: /data}, {name: media, host_path: /srv/media, mount_path: /media}]
    ports: [{container_port: 90, last_port: 92}, {container_port: 80, host_port: 8080, host_ip: 127.0.0.1}]
    healthcheck: {http: {port: 80, path: /text, headers: {a: text}}}
    files: [{mount_path: /text, mode: "0600", content: text}]
    resources: {cpu: "1", memory: 64Mi, memory_reservation: 32Mi}
    tmpfs: [{mount_path: /text, size: 1Mi}]
    shm_size: 1Mi
    devices: [{path: /dev/null, container_path: /dev/text}]
    extra_hosts: {a: 192.0.2.1}
    dns: [192.0.2.1]
    logging: {max_size: 1Mi, max_files: 2}
    logs: {max_size: 1Mi}
    aliases: [text]
    hostname: text
    sysctls: {net.core.somaxconn: "1"}
    labels: {a: text}
  tidy: {kind: job, run: before_start, image: "registry.example.org/b:1.0", command: [text], labels: {a: text}}
permissions:
  - {kind: host_path, component: main, value: /srv/media, reason: text}
  - {kind: host_path, component: main, reason: text}
  - {kind: device, component: main, reason: text}
  - {kind: host_port, component: main, reason: text}
  - {kind: sysctl, component: main, reason: text}
actions:
  - {name: A, slug: a, description: text, type: job, image: "registry.example.org/c:1.0", command: [text], env: {A: text}}
smoke: [{exec: {component: main, command: [text]}}]
provides: [{class: a.b, attributes: {a: text}}]
`).value as Template,
);

/** Yields the spec with the reference in place of each of its texts and numbers, one at a time. */
function* replacedBy(reference: string): Generator<[place: string, spec: Canonical]> {
  const { vars: _, inputs: __, secrets: ___, ...filled } = SPEC;
  for (const steps of leaves(filled, [])) {
    const spec = structuredClone(SPEC);
    let holder = spec as unknown as Record<string | number, never>;
    for (const step of steps.slice(0, -1)) holder = holder[step] as never;
    holder[steps.at(-1) ?? ''] = reference as never;
    yield [steps.join('/'), spec];
  }
}

function* leaves(value: unknown, at: (string | number)[]): Generator<(string | number)[]> {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* leaves(item, [...at, index]);
  else if (isMapping(value)) for (const [key, item] of Object.entries(value)) yield* leaves(item, [...at, key]);
  else if (typeof value === 'string' || typeof value === 'number') yield at;
}

const options = (secret: string): ResolveOptions => ({
  inputs: { TOKEN: secret },
  secrets: { KEY: secret },
  instance: { uid: 'a-1', name: 'A', server_id: 'srv_1' },
});

const REFERENCES = ['${secrets.KEY}', '/${inputs.TOKEN}', '${vars.indirect}Mi'];

describe.each(REFERENCES)('a secret (%s) anywhere in a template', (reference) => {
  it('is shown neither by a plan nor by a manifest that is read', () => {
    let shown = 0;
    for (const [place, spec] of replacedBy(reference)) {
      // Where a text does not fit the schema, no template can have it.
      if (checkSchema(CanonicalTemplate, spec).length > 0) continue;
      const next = resolved(spec, SECRET);
      if (typeof next === 'string') {
        expect(next, `the problems of a secret in ${place}`).not.toContain(SECRET);
        continue;
      }
      shown++;
      const former = resolved(spec, FORMER) as Resolved;
      const plain = resolved(SPEC, SECRET) as Resolved;
      const state = { drift: [], up: true };
      const texts = {
        'the manifest': redact(next.manifest, next.secretPaths),
        'the first plan': predict(next, { former: undefined, ...state }),
        'a plan that changes it': predict(next, { former, ...state }),
        'a plan that adds it': predict(next, { former: plain, ...state }),
        'a plan that removes it': predict(plain, { former: next, ...state }),
      };
      for (const [name, text] of Object.entries(texts)) {
        expect(JSON.stringify(text), `${name} with a secret in ${place}`).not.toContain(SECRET);
        expect(JSON.stringify(text), `${name} with a secret in ${place}`).not.toContain(FORMER);
      }
    }
    expect(shown).toBeGreaterThan(15);
  });
});

it('a value from the vault stays secret although the template has made its input plain', () => {
  const spec = canonical(
    parse(`${SEED}inputs: {required: [{name: TOKEN, type: string}]}\nenv: {A: "\${inputs.TOKEN}"}\n`).value as Template,
  );
  const { manifest, secretPaths } = resolved(spec, SECRET, ['TOKEN']) as Resolved;
  expect(JSON.stringify(manifest)).toContain(SECRET);
  expect(JSON.stringify(redact(manifest, secretPaths))).not.toContain(SECRET);
});

function resolved(spec: Canonical, secret: string, sealedInputs: string[] = []): Resolved | string {
  const resolution = resolve(spec, { ...options(secret), sealedInputs });
  return resolution.ok ? resolution : JSON.stringify(resolution.problems);
}
