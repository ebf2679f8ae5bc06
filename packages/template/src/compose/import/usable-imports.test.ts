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
