import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/how-it-runs.md'), 'utf8');

test('every file that docs/how-it-runs.md names exists', () => {
  const named = [...page.matchAll(/`((?:client|daemon|e2e|service)\/[^`]+\.ts)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(50);
  const missing = named.filter((path) => {
    const [first = '', ...rest] = path.split('/');
    return !existsSync(first === 'e2e' ? join(root, path) : join(root, 'packages', first, 'src', ...rest));
  });
  expect(missing).toEqual([]);
});

test('every function that docs/how-it-runs.md names is in the file next to it', () => {
  for (const [name, path] of Object.entries({
    recover: 'daemon/src/deployments/deployment-runner.ts',
    actInTerm: 'daemon/src/wiring/late-calls.ts',
    acceptClaim: 'service/src/resources/deployments/claims.ts',
    switchOver: 'service/src/resources/migrations/forward.ts',
  })) {
    expect(page).toContain(`\`${name}\``);
    expect(readFileSync(join(root, 'packages', path), 'utf8')).toContain(name);
  }
});
