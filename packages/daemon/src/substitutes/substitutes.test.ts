import { expect, it } from 'vitest';
import { substitutesFrom } from './substitutes.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const other = `sha256:${'b'.repeat(64)}`;

it('an image without an entry is used itself', () => {
  const { of } = substitutesFrom({ 'docker.io/library/redis': 'redis:local' });
  expect(of('docker.io/library/postgres:17.10')).toBeUndefined();
  expect(of('ghcr.io/library/redis:8')).toBeUndefined();
  expect(substitutesFrom({}).of('redis')).toBeUndefined();
});

it('the most exact entry wins', () => {
  const { of } = substitutesFrom({
    postgres: 'pg:any',
    'postgres:17.10': 'pg:tag',
    [`postgres@${digest}`]: 'pg:digest',
    [`docker.io/library/postgres:17.10@${digest}`]: 'pg:both',
  });
  expect(of(`docker.io/library/postgres:17.10@${digest}`)).toBe('pg:both');
  expect(of(`docker.io/library/postgres:18.1@${digest}`)).toBe('pg:digest');
  expect(of(`docker.io/library/postgres:17.10@${other}`)).toBe('pg:tag');
  expect(of('postgres:17.10')).toBe('pg:tag');
  expect(of(`postgres@${other}`)).toBe('pg:any');
  expect(of('postgres:16.9')).toBe('pg:any');
});

it('a missing tag means latest, in an image as in the local one', () => {
  expect(substitutesFrom({ 'redis:latest': 'cache' }).of('docker.io/library/redis')).toBe('cache');
  expect(substitutesFrom({ redis: 'cache' }).includes('docker.io/library/cache:latest')).toBe(true);
});

it('an image does not replace itself, and entries do not chain', () => {
  const { of } = substitutesFrom({ postgres: 'postgres:local', nginx: 'httpd:1', httpd: 'caddy:1' });
  expect(of('docker.io/library/postgres:local')).toBeUndefined();
  expect(of('nginx:1.29.2')).toBe('httpd:1');
});

it('the colon of a port does not start a tag', () => {
  const { of } = substitutesFrom({ 'registry.example.org:5000/team/app': 'app:local' });
  expect(of('registry.example.org:5000/team/app:2.1.0')).toBe('app:local');
});
