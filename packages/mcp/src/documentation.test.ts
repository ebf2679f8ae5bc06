import { readFileSync } from 'node:fs';
import { permissionNames } from '@hortus/contract/permissions';
import { expect, test } from 'vitest';
import { resourceList, resourceTemplates } from './resources.ts';
import { tools } from './tools/all.ts';

const guide = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');

test('docs/mcp.md names every tool and every resource', () => {
  for (const { name } of tools) expect(guide).toContain(`\`${name}\``);
  expect(guide).toContain(`with ${tools.length} tools`);
  for (const { uri } of resourceList) expect(guide).toContain(uri);
  for (const { uriTemplate } of resourceTemplates) expect(guide).toContain(uriTemplate);
});

test('the key of docs/mcp.md has existing permissions, and none that destroys data', () => {
  const allowed = [...guide.matchAll(/--allow (\S+)/g)].map((match) => match[1]);
  expect(allowed.length).toBeGreaterThan(10);
  expect(permissionNames).toEqual(expect.arrayContaining(allowed));
  for (const dangerous of ['actions:dangerous', 'backups:restore', 'data:export', 'admin'])
    expect(allowed).not.toContain(dangerous);
});
