import { expect, it } from 'vitest';
import { installLine, isProtected } from './install-line.ts';

const server = { id: 'srv_1', api_key: 'hs_live_secret', manifest_public_key: 'MCow+/=' };

it('the line for a new server gives the key to no command as an argument', () => {
  const line = installLine('https://hortus.example.org', server);
  expect(line.match(/hs_live_secret/g)).toHaveLength(1);
  expect(line).toMatch(/^export HORTUSD_KEY=hs_live_secret && /);
  expect(line).toContain(
    'install --url https://hortus.example.org --server-id srv_1 --public-key MCow+/= && sudo systemctl',
  );
});

it('the line allows plain HTTP only where the console itself is reached that way from another machine', () => {
  expect(installLine('http://10.0.0.5:8080', server)).toContain('--allow-plaintext');
  expect(installLine('http://127.0.0.1:8080', server)).not.toContain('--allow-plaintext');
  expect(isProtected('http://localhost.example.org')).toBe(false);
});
