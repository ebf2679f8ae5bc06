import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hortusHere } from '../testing/hortus.ts';
import { recordId } from '../testing/records.ts';
import { startScriptedService } from '../testing/scripted-service.ts';

const COMPOSE = `services:
  web:
    image: registry.example.org/web:1.0.0
    ports: ["8080:3000"]
    environment: {LANGUAGE: "\${LANGUAGE:-en}", ADMIN_PASSWORD: forget-me-not}
    logging: {driver: syslog}
    volumes: ["./site.conf:/etc/site.conf"]
`;

const draft = {
  id: recordId('tpl', 1),
  species: 'web',
  slug: 'web',
  name: 'Web',
  description: '',
  archetype: 'application' as const,
  family: 'imported',
  version: '0.1.0',
  app_version: null,
  author: null,
  taxonomy: { kingdom: 'applications', family: 'imported', species: 'web', variant: null, specimen: null, tags: [] },
  spec_hash: `sha256:${'0'.repeat(64)}`,
  status: 'draft' as const,
  deprecated: false,
  featured: false,
  verified: null,
  created_at: '2026-01-02T03:04:05Z',
  mark_url: '/api/v1/templates/web/mark.svg',
  logo: null,
  valid: true,
  findings: [],
};

let home: TemporaryFolder;
beforeEach(() => {
  home = temporaryFolder('cli');
  writeFileSync(join(home.path, 'compose.yaml'), COMPOSE);
  writeFileSync(join(home.path, 'site.conf'), 'listen 3000\n');
});
afterEach(() => home.remove());

const at = (name: string) => join(home.path, name);
const run = (...argv: string[]) => hortusHere(home.path, ['template', ...argv]);

test('a Compose file is imported into a folder, checked and exported again, without a service', async () => {
  const imported = await run('import', at('compose.yaml'), '--name', 'Web', '--out', at('web'));
  expect([imported.code, imported.stdout]).toEqual([0, `Wrote ${at('web/template.yaml')}.\n`]);
  expect(imported.stderr).toContain('compose.yaml:6:23: dropped services.web.logging.driver');
  expect(imported.stderr).toContain('becomes the secret ADMIN_PASSWORD');
  expect(imported.stderr).not.toContain('forget-me-not');
  const text = readFileSync(at('web/template.yaml'), 'utf8');
  expect(text).toContain('listen 3000');
  expect(text).not.toContain('forget-me-not');

  const again = await run('import', at('compose.yaml'), '--out', at('web'));
  expect([again.code, again.stderr.includes('already exists')]).toEqual([2, true]);

  expect((await run('validate', at('web'))).code).toBe(0);

  const exported = await run('export', at('web'), '--set', 'WEB_HOSTNAME=a.example.org', '--set', 'LANGUAGE=de');
  expect(exported.code).toBe(0);
  expect(exported.stdout).toContain('LANGUAGE: de');
  expect(exported.stderr).toContain('Generated for this file: ADMIN_PASSWORD');
  const missing = await run('export', at('web'));
  expect([missing.code, missing.stderr.includes('inputs.WEB_HOSTNAME is required')]).toEqual([2, true]);
});

test('validate prints errors with their line', async () => {
  writeFileSync(at('bad.yaml'), 'slug: bad\nname: Bad\nimage: {repository: nginx, tga: 1.2.3}\n');
  const { code, stdout } = await run('validate', at('bad.yaml'));
  expect(code).toBe(1);
  expect(stdout).toContain('bad.yaml:3:28: error unknown-key');
  expect(stdout).toContain('  3 | image: {repository: nginx, tga: 1.2.3}\n');
  const json = JSON.parse((await run('validate', at('bad.yaml'), '--json')).stdout);
  expect([json.valid, json.findings.length > 0]).toEqual([false, true]);

  writeFileSync(at('broken.yaml'), 'services:\n  - web\n');
  const broken = await run('import', at('broken.yaml'));
  expect([broken.code, broken.stdout]).toEqual([1, '']);
  expect(broken.stderr).toContain('broken.yaml:2:3: error: services must be a mapping');
  expect((await run('validate', at('nowhere.yaml'))).code).toBe(2);
});

test('import tells which port it does not know, and takes it from --port', async () => {
  writeFileSync(at('closed.yaml'), 'services:\n  app:\n    image: registry.example.org/app:1.0.0\n');
  const asked = await run('import', at('closed.yaml'));
  expect(asked.code).toBe(0);
  expect(asked.stderr).toContain('closed.yaml:2:3: unknown nothing in the file says how to reach it');
  expect(asked.stderr).toContain('answer with --port app=<number>');
  const responded = JSON.parse((await run('import', at('closed.yaml'), '--port', 'app=3000', '--json')).stdout);
  expect(responded).toMatchObject({ questions: [], template: { routes: [{ component: 'app', port: 3000 }] } });
  const wrong = await run('import', at('closed.yaml'), '--port', 'app=many');
  expect([wrong.code, wrong.stderr.includes('takes a number up to 65535')]).toEqual([2, true]);
});

test('import reads the .env beside the file', async () => {
  writeFileSync(at('.env'), 'LANGUAGE=fi\n');
  const { template } = JSON.parse((await run('import', at('compose.yaml'), '--json')).stdout);
  expect(template.inputs.optional).toContainEqual({ name: 'LANGUAGE', type: 'string', default: 'fi' });
});

test('--json prints one JSON document', async () => {
  const imported = JSON.parse((await run('import', at('compose.yaml'), '--json')).stdout);
  expect(Object.keys(imported)).toEqual(['template', 'findings', 'inferred', 'dropped', 'questions']);
  expect(imported.dropped).toMatchObject([{ path: 'services.web.logging.driver', line: 6 }]);
  await run('import', at('compose.yaml'), '--out', at('web'));
  const exported = JSON.parse((await run('export', at('web'), '--set', 'WEB_HOSTNAME=a.example.org', '--json')).stdout);
  expect(exported).toMatchObject({ generated: ['ADMIN_PASSWORD'], dropped: [] });
});

test('import --upload creates a draft', async () => {
  const service = await startScriptedService();
  try {
    let sent: { source?: string } = {};
    service.on('drafts.create', ({ body }) => {
      sent = body as typeof sent;
      return { success: true, data: draft };
    });
    const { code, stdout } = await hortusHere(home.path, ['template', 'import', at('compose.yaml'), '--upload'], {
      env: { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' },
    });
    expect([code, stdout]).toEqual([0, `web 0.1.0 is a draft of your account: ${draft.id}\n`]);
    expect(sent.source).toContain('registry.example.org/web:1.0.0');
    expect(sent.source).not.toContain('forget-me-not');
  } finally {
    await service.stop();
  }
});
