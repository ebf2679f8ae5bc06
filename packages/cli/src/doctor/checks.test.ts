import { expect, test } from 'vitest';
import { hostFindings } from './checks.ts';

test('an application that shares the host name of the console is named, with its addresses and what to do', () => {
  const addresses = ['http://hortus.example.org:8080/', 'hortus.example.org:5432'];
  const findings = [...hostFindings([{ instance_id: 'ins_1', name: 'journal', addresses }])];
  expect(findings).toMatchObject([{ check: 'hosts', state: 'note' }]);
  expect(findings[0]?.said).toMatch(/^journal \(http:\S+, hortus\.example\.org:5432\) shares .* Give the application /);
  expect([...hostFindings([])]).toMatchObject([{ check: 'hosts', state: 'ok' }]);
});
