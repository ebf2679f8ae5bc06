import { generateKeyPairSync } from 'node:crypto';
import { manifestContext } from '@hortus/template/sealing/contexts';
import { sealFields } from '@hortus/template/sealing/sealed-fields';
import { sealingKeyText } from '@hortus/template/sealing/sealing-key';
import { describe, expect, it } from 'vitest';
import { component, manifest } from '../plan/testing/manifests.ts';
import { id, Signer } from '../testing/signing.ts';
import { acceptManifest, type Expectation } from './accept-manifest.ts';
import { readPublicKey } from './manifest-signature.ts';

const nonce = 'of-this-request-0123456789';
/** Signs for this request unless a test says otherwise. */
const signing = (signer: Signer): Pick<Signer, 'sign'> => ({
  sign: (manifest, overrides) => signer.sign(manifest, { nonce, ...overrides }),
});
const service = new Signer();
const signer = signing(service);
const daemon = generateKeyPairSync('x25519');
const serverId = id('srv');
const plain = manifest('blog', [component('main')], {
  instance: { uid: 'blog', name: 'Blog', server_id: serverId },
});
const deployment = { id: id('dep'), definition_id: id('def'), revision: 1 };
const expected = (more: Partial<Expectation> = {}): Expectation => ({
  key: readPublicKey(service.publicKey),
  privateKey: daemon.privateKey,
  serverId,
  nonce,
  deployment,
  last: () => undefined,
  ...more,
});
const overTheWire = (value: unknown) => JSON.parse(JSON.stringify(value));
const ruleOf = (response: unknown, more: Partial<Expectation> = {}) => {
  const result = acceptManifest(overTheWire(response), expected(more));
  return result.ok ? 'accepted' : result.rule;
};

describe('a manifest', () => {
  it('is accepted as signed, whatever the order of its keys', () => {
    const signed = signer.sign(plain);
    expect(ruleOf(signed)).toBe('accepted');
    expect(ruleOf(Object.fromEntries(Object.entries(signed).reverse()))).toBe('accepted');
  });

  it('with a forged signature is refused', () => {
    expect(ruleOf(signing(new Signer()).sign(plain))).toBe('signature');
    expect(ruleOf({ ...signer.sign(plain), signature: null })).toBe('signature');
    expect(ruleOf({ ...signer.sign(plain), signature: '' })).toBe('signature');
    expect(ruleOf('nonsense')).toBe('signature');
  });

  it('with a field changed, added or removed after signing is refused', () => {
    const signed = signer.sign(plain);
    expect(ruleOf({ ...signed, components: [component('main', { image: 'evil:1' })] })).toBe('signature');
    expect(ruleOf({ ...signed, extra: 1 })).toBe('signature');
    const { notes: _, signed_at: __, ...less } = signed;
    expect(ruleOf(less)).toBe('signature');
  });

  it('larger than this daemon handles is refused with the name of the part', () => {
    const route = {
      name: 'web',
      component: 'main',
      port: 80,
      host: 'blog.example.org',
      path: '/',
      strip: false,
      tls: 'off' as const,
      primary: true,
      url: '',
    };
    const slashes = { ...route, path: '/'.repeat(60_000) };
    const refusalOf = (routes: (typeof route)[]) =>
      acceptManifest(overTheWire(signer.sign({ ...plain, routes })), expected());
    expect(refusalOf(Array.from({ length: 50 }, () => route))).toMatchObject({ ok: true });
    expect(refusalOf([route, slashes])).toEqual({
      ok: false,
      rule: 'limits',
      message: 'the manifest is too large: routes[1].path has 60000 characters; this daemon handles 4096',
    });
    expect(refusalOf(Array.from({ length: 501 }, () => route))).toMatchObject({
      message: 'the manifest is too large: it has 501 routes; this daemon handles 500',
    });
  });

  it('replayed from another server is refused', () => {
    const other = { ...plain, instance: { ...plain.instance, server_id: id('srv', 2) } };
    expect(ruleOf(signer.sign(other))).toBe('replay');
    expect(ruleOf(signer.sign(plain, { server_id: id('srv', 2) }))).toBe('replay');
  });

  it('replayed from another deployment is refused', () => {
    expect(ruleOf(signer.sign(plain, { deployment_id: id('dep', 2) }))).toBe('replay');
    expect(ruleOf(signer.sign(plain, { definition_id: id('def', 2) }))).toBe('replay');
    expect(ruleOf(signer.sign(plain, { deployment_id: null }))).toBe('replay');
  });

  it('replayed from an older revision is refused', () => {
    expect(ruleOf(signer.sign(plain), { deployment: { ...deployment, revision: 2 } })).toBe('replay');
  });

  it('recorded from an earlier request for the same deployment is refused', () => {
    expect(ruleOf(signer.sign(plain, { nonce: 'of-an-earlier-request-012345' }))).toBe('replay');
    const { nonce: _, signature: __, ...unbound } = signer.sign(plain);
    expect(ruleOf(service.signed(unbound))).toBe('replay');
  });

  it('signed before the running one is refused, but a rollback to an older revision is not', () => {
    const last = () => ({ deployment_id: id('dep', 9), signed_at: '2026-01-02T00:00:00.000Z' });
    expect(ruleOf(signer.sign(plain, { signed_at: '2026-01-01T00:00:00.000Z' }), { last })).toBe('replay');
    expect(ruleOf(signer.sign(plain, { signed_at: '2026-01-03T00:00:00.000Z' }), { last })).toBe('accepted');
  });

  it('that is malformed is refused even if it is signed', () => {
    expect(ruleOf(signer.sign({ ...plain, components: [{} as never] }))).toBe('form');
  });

  it('is stored under its name on the server, not under its instance_uid', () => {
    const signed = overTheWire(signer.sign(plain, { instance_uid: 'what people say' }));
    expect(acceptManifest(signed, expected())).toMatchObject({ ok: true, manifest: { instance_uid: 'blog' } });
  });
});

describe('a sealed manifest', () => {
  const password = '/components/0/env/PASSWORD';
  const withSecret = {
    ...plain,
    components: [component('main', { env: { PASSWORD: 'hunter2', OPEN: 'yes' } })],
  };
  /** Builds a manifest as the service does: sealed first, then signed. */
  const sealed = (to = daemon.publicKey, context: Record<string, string> = {}) => {
    const subject = {
      ...withSecret,
      server_id: serverId,
      deployment_id: deployment.id,
      definition_id: id('def'),
      revision: 1,
    };
    return signer.sign(
      sealFields(withSecret, [password], sealingKeyText(to), { ...manifestContext(subject), ...context }),
    );
  };
  const accepted = (response: unknown) => {
    const result = acceptManifest(overTheWire(response), expected());
    return result.ok ? result.manifest : result.rule;
  };

  it('is opened by the daemon with the pinned key pair, and contains no plaintext value', () => {
    expect(JSON.stringify(sealed())).not.toContain('hunter2');
    expect(accepted(sealed())).toMatchObject({ components: [{ env: { PASSWORD: 'hunter2', OPEN: 'yes' } }] });
  });

  it('for another daemon is refused, and not deployed with empty passwords', () => {
    expect(accepted(sealed(generateKeyPairSync('x25519').publicKey))).toBe('sealed');
  });

  it.each(['server_id', 'deployment_id', 'definition_id', 'revision', 'spec_hash'])(
    'with values that were sealed for another %s is refused',
    (name) => {
      expect(accepted(sealed(daemon.publicKey, { [name]: 'other' }))).toBe('sealed');
    },
  );

  it('whose sealed values were changed, dropped, added or replaced by plaintext is refused', () => {
    const good = sealed();
    const other = sealed();
    const fields = (changed: Record<string, string>) => ({ ...good, sealed: { ...good.sealed, fields: changed } });
    expect(accepted(fields({}))).toBe('signature');
    expect(accepted(fields({ ...good.sealed?.fields, '/notes': 'x' }))).toBe('signature');
    expect(accepted({ ...good, sealed: other.sealed })).toBe('signature');
    const { sealed: _, ...unsealed } = good;
    expect(accepted(unsealed)).toBe('signature');
    for (const nonsense of [null, 'x', [], { fields: 'x' }, { fields: null }])
      expect(accepted({ ...good, sealed: nonsense })).toBe('signature');
    const injected = { ...good, components: [component('main', { env: { PASSWORD: 'injected', OPEN: 'yes' } })] };
    expect(accepted(injected)).toBe('signature');
  });
});

it('only Ed25519 keys are accepted', () => {
  expect(() => readPublicKey('bm9uc2Vuc2U=')).toThrow('cannot be read');
});
