import { expect, it } from 'vitest';
import { halfFloating } from './half-floating.ts';
import { versionParts } from './version-parts.ts';

const image = (text: string) => {
  const colon = text.lastIndexOf(':');
  return { repository: text.slice(0, colon), tag: text.slice(colon + 1) };
};

it.each([
  ['docker.io/library/odoo:18.0', '18.0'],
  ['docker.io/library/caddy:2.10-alpine', '2.10'],
  ['docker.io/library/mariadb:10.11', '10.11'],
  ['docker.io/library/postgres:17', '17'],
  ['postgres:17-alpine', '17'],
  ['docker.io/library/traefik:v3', '3'],
  ['docker.io/library/redis:8-alpine', '8'],
  ['docker.io/library/redis:8.2-alpine3.22', '8.2'],
  ['docker.io/library/php:8.3-fpm', '8.3'],
  ['ghcr.io/goauthentik/server:2025.10', '2025.10'],
  ['mcr.microsoft.com/mssql/server:2022-preview', '2022'],
])('%s names its version incompletely', (text, version) => {
  expect(halfFloating(image(text))).toBe(version);
});

it.each([
  'docker.io/library/postgres:17.10',
  'postgres:17.10-alpine3.22',
  'docker.io/typesense/typesense:29.0',
  'docker.io/library/mongo:8.2.1',
  'docker.io/library/caddy:2.10.2-alpine',
  'docker.io/clickhouse/clickhouse-server:25.10.2.65',
  'docker.io/photoprism/photoprism:250321',
  'docker.io/photoprism/photoprism:251130-ce',
  'ghcr.io/home-assistant/home-assistant:2026.8.1',
  'docker.io/diygod/rsshub:2026-04-17',
  'docker.io/qdtoday/qd:20250129',
  'docker.io/library/odoo:18.0-20250918',
  'docker.io/linuxserver/ngircd:27-r1-ls167',
  'docker.io/linuxserver/dokuwiki:2025-05-14b-ls309',
  'ghcr.io/s1t5/mailarchiver:2607.5',
  'docker.io/johngong/kms:1113',
  'docker.io/fireflyiii/core:version-6.6.3',
  'docker.io/minio/minio:RELEASE.2025-09-07T16-13-09Z',
  'docker.io/library/wordpress:cli-2.12.0-php8.3',
  'docker.io/jitsi/web:stable-10741',
  'registry.example.org/team/app:latest',
])('%s names one release', (text) => {
  expect(halfFloating(image(text))).toBeUndefined();
});

it('a digest pins the image whatever its tag says', () => {
  const pinned = { ...image('docker.io/library/odoo:19'), digest: `sha256:${'a'.repeat(64)}` };
  expect(halfFloating(pinned)).toBeUndefined();
});

it('the table of versions gives a reason for each repository, in order', () => {
  const names = Object.keys(versionParts);
  expect(names).toEqual(names.toSorted());
  for (const { parts, reason } of Object.values(versionParts)) {
    expect([1, 2]).toContain(parts);
    expect(reason).not.toBe('');
  }
});
