import { describe, expect, it } from 'vitest';
import { component, manifest } from '../plan/testing/manifests.ts';
import { id, Signer } from '../testing/signing.ts';
import { acceptManifest, type Expectation } from './accept-manifest.ts';
import { readPublicKey } from './manifest-signature.ts';

const signer = new Signer();
const serverId = id('srv');
const plain = manifest('blog', [component('main')], {
  instance: { uid: 'blog', name: 'Blog', server_id: serverId },
});
const deployment = { id: id('dep'), definition_id: id('def'), revision: 1 };
const expected = (more: Partial<Expectation> = {}): Expectation => ({
  key: readPublicKey(signer.publicKey),
  serverId,
  deployment,
  last: () => undefined,
  ...more,
});
const overTheWire = (value: unknown) => JSON.parse(JSON.stringify(value));
const ruleOf = (answer: unknown, more: Partial<Expectation> = {}) => {
  const result = acceptManifest(overTheWire(answer), expected(more));
  return result.ok ? 'accepted' : result.rule;
};

describe('a manifest', () => {
  it('is accepted as the service signed it, in whatever order its keys arrive', () => {
    const signed = signer.sign(plain);
    expect(ruleOf(signed)).toBe('accepted');
    expect(ruleOf(Object.fromEntries(Object.entries(signed).reverse()))).toBe('accepted');
  });

  it('with a forged signature is refused', () => {
    expect(ruleOf(new Signer().sign(plain))).toBe('signature');
    expect(ruleOf({ ...signer.sign(plain), signature: null })).toBe('signature');
    expect(ruleOf({ ...signer.sign(plain), signature: '' })).toBe('signature');
    expect(ruleOf('nonsense')).toBe('signature');
  });

  it('with anything changed, added or taken away after signing is refused', () => {
    const signed = signer.sign(plain);
    expect(ruleOf({ ...signed, components: [component('main', { image: 'evil:1' })] })).toBe('signature');
    expect(ruleOf({ ...signed, extra: 1 })).toBe('signature');
    const { notes: _, signed_at: __, ...less } = signed;
    expect(ruleOf(less)).toBe('signature');
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

  it('signed before the one that runs is refused, but a rollback to an older revision is not', () => {
    const last = () => ({ deployment_id: id('dep', 9), signed_at: '2026-01-02T00:00:00.000Z' });
    expect(ruleOf(signer.sign(plain, { signed_at: '2026-01-01T00:00:00.000Z' }), { last })).toBe('replay');
    expect(ruleOf(signer.sign(plain, { signed_at: '2026-01-03T00:00:00.000Z' }), { last })).toBe('accepted');
  });

  it('that is malformed is refused even when it is signed', () => {
    expect(ruleOf(signer.sign({ ...plain, components: [{} as never] }))).toBe('form');
  });

  it('is kept under its name on the server, whatever people call the instance', () => {
    const signed = overTheWire(signer.sign(plain, { instance_uid: 'what people say' }));
    expect(acceptManifest(signed, expected())).toMatchObject({ ok: true, manifest: { instance_uid: 'blog' } });
  });
});

it('keys that are no Ed25519 keys are not taken for one', () => {
  expect(() => readPublicKey('bm9uc2Vuc2U=')).toThrow('cannot be read');
});
