import { expect, it } from 'vitest';
import { derivedAttributes } from './attributes.ts';

it.each(['https://id.example.org/realms/main', 'https://id.example.org/realms/main/'])(
  'the discovery address of %s has one slash before its path',
  (issuer) => {
    expect(derivedAttributes('identity.oidc', { issuer })).toEqual({
      discovery_url: 'https://id.example.org/realms/main/.well-known/openid-configuration',
    });
  },
);

it('given addresses are not replaced', () => {
  const overrides = { issuer: 'https://id.example.org', discovery_url: 'https://other.example.org/configuration' };
  expect(derivedAttributes('identity.oidc', overrides)).toEqual({ discovery_url: overrides.discovery_url });
  const url = 'smtps://mail.example.org';
  expect(derivedAttributes('email.smtp', { host: 'mail.example.org', port: '465', url })).toEqual({ url });
});

it('the address of a server is built from its parts, which are percent-encoded', () => {
  const parts = { host: '2001:db8::1', port: '5432', username: 'app', password: 'p@ss/word', database: 'beds' };
  expect(derivedAttributes('database.postgres', parts)).toEqual({
    url: 'postgres://app:p%40ss%2Fword@[2001:db8::1]:5432/beds',
  });
});

it('other classes get nothing', () => {
  expect(derivedAttributes('http.blog', { issuer: 'https://id.example.org' })).toEqual({});
});
