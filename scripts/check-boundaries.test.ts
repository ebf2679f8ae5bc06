import { expect, test } from 'vitest';
import { checkBoundaries } from './boundary-rules.ts';

const manifests = [
  { path: 'package.json', text: '{"devDependencies": {"vitest": "1", "fast-check": "1"}}' },
  {
    path: 'packages/service/package.json',
    text: '{"dependencies": {"kysely": "1", "pg": "1"}, "devDependencies": {"@scope/tool": "1"}}',
  },
];
const service = 'packages/service/src';
const owning = (resource: string, tables: string, joins = '') => ({
  path: `${service}/resources/${resource}/resource.ts`,
  text: `export const resource = {\n  tables: [${tables}],\n  joins: [${joins}],\n};`,
});
const owners = [
  owning('actions', `'executions'`),
  owning('definitions', `'definitions', 'revisions'`),
  owning('deployments', `'deployments'`),
  owning('instances', `'instances'`, `'definitions'`),
  owning('servers', `'servers', 'replicas'`),
];
const check = (path: string, text: string) => checkBoundaries([...manifests, ...owners, { path, text }]);

test.each([
  // Between packages
  ['packages/contract/src/a.ts', `import '@hortus/client/http';`, 'direction'],
  ['packages/template/src/a.ts', `import type { A } from '@hortus/service/app';`, 'direction'],
  ['packages/client/src/a.ts', `import '@hortus/template/source/parse';`, 'direction'],
  ['packages/client/src/a.ts', `export * from '@hortus/service/app';`, 'direction'],
  [`${service}/a.ts`, `await import('@hortus/daemon/plan');`, 'direction'],
  [`${service}/a.ts`, `import '@hortus/client/http';`, 'direction'],
  [`${service}/a.test.ts`, `import '@hortus/daemon/plan';`, 'direction'],
  ['packages/daemon/src/a.ts', `import '@hortus/service/app';`, 'direction'],
  ['packages/daemon/src/a.test.ts', `import '@hortus/service/app';`, 'direction'],
  ['packages/cli/src/a.ts', `import '@hortus/daemon/plan';`, 'direction'],
  ['packages/web/src/a.tsx', `import '@hortus/service/app';`, 'direction'],
  ['packages/testkit/src/a.ts', `import '@hortus/service/app';`, 'direction'],
  ['packages/testkit/src/a.test.ts', `import '@hortus/template/source/parse';`, 'direction'],
  [`${service}/a.ts`, `import '@hortus/testkit/until';`, 'test-only'],
  [`${service}/a.ts`, `import './a.test.ts';`, 'test-only'],
  [`${service}/a.ts`, `import './testing/engines.ts';`, 'test-only'],
  [`${service}/http/a.ts`, `import '../../../contract/src/errors.ts';`, 'package-path'],
  [`${service}/a.ts`, `import '../../../scripts/a.ts';`, 'package-path'],
  ['e2e/a.test.ts', `import '../packages/service/src/app.ts';`, 'package-path'],
  ['packages/extra/src/a.ts', '', 'unknown-package'],
  [`${service}/relay/a.ts`, `socket.on('close', () => gone());`, 'listener'],
  [`${service}/http/a.ts`, `server.once(\n  'upgrade',\n  upgrade,\n);`, 'listener'],
  [`${service}/channel/a.ts`, `this.#timer = setInterval(() => look(), 5);`, 'listener'],
  [`${service}/resources/a/service.ts`, `answer.on('end', () => done(Buffer.concat(chunks)));`, 'listener'],
  ['packages/daemon/src/a.ts', `setTimeout(late, 5);`, 'listener'],
  ['packages/client/src/a.ts', `signal.addEventListener('abort', () => leave());`, 'listener'],
  [`${service}/a.ts`, `if (slug === 'hortus.stop') return;`, 'slug'],
  ['packages/daemon/src/a.ts', 'const restore = "hortus.restore";', 'slug'],
  // Inside the service
  [`${service}/resources/a/service.ts`, `import '../b/store.ts';`, 'resource-private'],
  [`${service}/resources/a/service.ts`, `import type { Row } from '../b/store.ts';`, 'resource-private'],
  [`${service}/resources/a/service.ts`, `import '../b/routes.ts';`, 'resource-private'],
  [`${service}/resources/a/service.ts`, `import '@hortus/service/resources/b/store';`, 'resource-private'],
  [`${service}/resources/a/service.ts`, `import type { B } from '../b/service.ts';`, 'resource-private'],
  [`${service}/resources/a/service.ts`, `import '../b/inner/public.ts';`, 'resource-private'],
  [`${service}/resources/a/a.test.ts`, `import '../b/store.ts';`, 'resource-private'],
  ...['storage', 'outbox', 'jobs', 'bus', 'channel', 'http', 'identity', 'workers', 'retention'].map((part) => [
    `${service}/${part}/a.ts`,
    `import '../resources/a/service.ts';`,
    'resource-free',
  ]),
  [`${service}/resources/a/service.ts`, `import { sql } from 'kysely';`, 'sql'],
  [`${service}/resources/a/service.ts`, `import { type Kysely, sql } from 'kysely';`, 'sql'],
  [`${service}/app.ts`, `await db.selectFrom('a').execute();`, 'sql'],
  [`${service}/http/a.ts`, `tx\n  .insertInto('a');`, 'sql'],
  [`${service}/identity/keys.ts`, `tx.updateTable ('a')`, 'sql'],
  [`${service}/vault/keys.ts`, `tx.deleteFrom('a')`, 'sql'],
  [`${service}/resources/servers/store.ts`, `queries.db.selectFrom('deployments')`, 'table-owner'],
  [`${service}/resources/servers/liveness/store.ts`, `db\n  .crossJoin(\n'executions as e')`, 'table-owner'],
  [`${service}/resources/servers/store.ts`, `exists(selectFrom('users'))`, 'table-owner'],
  [`${service}/resources/instances/store.ts`, `tx.db.updateTable('definitions')`, 'table-owner'],
  [`${service}/outbox/store.ts`, `tx.db.insertInto('jobs')`, 'table-owner'],
  // Names and dependencies
  [`${service}/utils/a.ts`, '', 'folder-name'],
  [`${service}/resources/a/helpers/b.ts`, '', 'folder-name'],
  ['e2e/common/a.ts', '', 'folder-name'],
  ['packages/contract/src/types/a.ts', '', 'folder-name'],
  [`${service}/http/index.ts`, '', 'barrel'],
  [`${service}/a.ts`, `import { test } from 'vitest';`, 'development-only'],
  [`${service}/a.ts`, `import { defineConfig } from 'vitest/config';`, 'development-only'],
  ['packages/contract/src/a.ts', `import fc from 'fast-check';`, 'development-only'],
  [`${service}/a.ts`, `import '@scope/tool/part';`, 'development-only'],
] as [string, string, string][])('%s must not contain %s (%s)', (path, text, rule) => {
  expect(check(path, text).map((violation) => violation.rule)).toEqual([rule]);
});

test.each([
  ['packages/contract/src/a.ts', `import { Type } from 'typebox'; import './b.ts'; import 'node:fs';`],
  ['packages/template/src/a.ts', `import '@hortus/contract/errors';`],
  ['packages/daemon/src/a.ts', `import '@hortus/client/http'; import '@hortus/template/source/parse';`],
  [`${service}/a.test.ts`, `import 'vitest'; import '@hortus/testkit/until'; import '@hortus/client/http';`],
  [
    `${service}/http/a.ts`,
    `socket.on(\n  'close',\n  this.#guard(() => gone()),\n); socket.setTimeout(0); server.once('error', fail);`,
  ],
  ['packages/daemon/src/a.ts', `sent.on('error', fail); setTimeout(() => sent.destroy(new Error('late')), 5);`],
  [`${service}/resources/a/store.ts`, `join.on('a.id', '=', 'b.id').on('error', () => undefined);`],
  [`${service}/start.ts`, `process.once('SIGTERM', end);`],
  [`${service}/http/a.test.ts`, `socket.on('close', gone);`],
  [`${service}/a.ts`, `// 'hortus.stop'\nconst label = 'hortus.stopped';`],
  [`${service}/a.test.ts`, `await order('hortus.stop');`],
  ['packages/contract/src/actions/built-in-actions.ts', `export const stop = 'hortus.stop';`],
  [`${service}/testing/engines.ts`, `import 'vitest'; import '@hortus/testkit/until';`],
  ['packages/testkit/src/a.ts', `import '@hortus/contract/errors'; import '@hortus/client/http'; import 'vitest';`],
  ['e2e/a.test.ts', `import '@hortus/service/app'; import '@hortus/daemon/plan'; import '@hortus/testkit/until';`],
  ['bench/a.ts', `import '@hortus/testkit/postgres'; import '@hortus/service/app';`],
  ['scripts/a.ts', `import '@hortus/testkit/postgres'; import 'vitest'; import './b.ts';`],
  [`${service}/app.ts`, `import './resources/a/routes.ts'; import type { Kysely } from 'kysely';`],
  [`${service}/resources/a/service.ts`, `import './store.ts'; import '../b/public.ts';`],
  [`${service}/resources/a/a.test.ts`, `import '../b/service.ts';`],
  [`${service}/wiring/a.ts`, `import '../resources/b/service.ts'; import '../resources/b/store.ts';`],
  [`${service}/resources/a/service.ts`, `// tx.deleteFrom('a')\nconst text = "tx.deleteFrom('a')";`],
  [`${service}/resources/a/store.ts`, `import { sql } from 'kysely'; tx.selectFrom('a');`],
  [`${service}/resources/a/store.test.ts`, `import { sql } from 'kysely'; tx.selectFrom('a');`],
  [`${service}/storage/schema-migrations/first.ts`, `import { sql } from 'kysely';`],
  [`${service}/outbox/dispatcher.ts`, `tx.selectFrom('a');`],
  [`${service}/jobs/claim.ts`, `tx.updateTable('a');`],
  [`${service}/resources/servers/liveness/store.ts`, `tx.updateTable('servers').innerJoin('replicas')`],
  [`${service}/resources/instances/store.ts`, `tx.selectFrom('instances').innerJoin('definitions')`],
  [
    `${service}/resources/servers/store.ts`,
    `// tx.selectFrom('deployments')\nconst text = "selectFrom('deployments')";`,
  ],
  [`${service}/resources/servers/store.test.ts`, `tx.insertInto('deployments');`],
])('%s may contain %s', (path, text) => {
  expect(check(path, text)).toEqual([]);
});

test('a violation names file, line, rule and reason', () => {
  expect(check(`${service}/a.ts`, `import './b.ts';\nimport '@hortus/client/http';`)).toEqual([
    {
      file: `${service}/a.ts`,
      line: 2,
      rule: 'direction',
      message: 'service may import contract, garden, logging, mcp, template, tracing, not client',
    },
  ]);
});

const rules = (...sources: [path: string, text: string][]) =>
  checkBoundaries([...manifests, ...sources.map(([path, text]) => ({ path, text }))]).map(({ rule }) => rule);

test('files that import each other fail, also if one imports only a type', () => {
  const item: [string, string] = [`${service}/bus/a.ts`, `import { b } from './b.ts';`];
  expect(rules(item, [`${service}/bus/b.ts`, `import type { A } from './a.ts';`])).toEqual(['file-cycle']);
  expect(rules(item, [`${service}/bus/b.ts`, ''])).toEqual([]);
});

test('folders that import each other fail, though no file does', () => {
  const item: [string, string] = [`${service}/bus/a.ts`, `import '../vault/a.ts';`];
  expect(rules(item, [`${service}/vault/b.ts`, `import '../bus/b.ts';`])).toEqual(['folder-cycle']);
  expect(rules(item, [`${service}/vault/b.test.ts`, `import '../bus/b.ts';`])).toEqual([]);
});

test('a subfolder and a file beside it count as two entries of one folder', () => {
  const item: [string, string] = [`${service}/bus/a.ts`, `import './postgres/a.ts';`];
  expect(rules(item, [`${service}/bus/postgres/b.ts`, `import '../a.ts';`])).toEqual(['folder-cycle']);
  expect(rules(item, [`${service}/bus/postgres/b.ts`, `import '../b.ts';`])).toEqual([]);
});

test('a cycle is reported with the imports that form it', () => {
  const found = checkBoundaries([
    { path: `${service}/bus/a.ts`, text: `import '../vault/a.ts';` },
    { path: `${service}/vault/b.ts`, text: `import '../jobs/a.ts';` },
    { path: `${service}/jobs/c.ts`, text: `import '../bus/d.ts';` },
  ]);
  expect(found).toMatchObject([{ file: `${service}/bus/a.ts`, line: 1, rule: 'folder-cycle' }]);
  expect(found[0]?.message).toContain(
    'bus/a.ts imports vault/a.ts, vault/b.ts imports jobs/a.ts, jobs/c.ts imports bus/d.ts',
  );
});
