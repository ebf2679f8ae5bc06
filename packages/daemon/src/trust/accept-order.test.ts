import { generateKeyPairSync } from 'node:crypto';
import { orderContext } from '@hortus/template/sealing/contexts';
import { sealFields } from '@hortus/template/sealing/sealed-fields';
import { sealingKeyText } from '@hortus/template/sealing/sealing-key';
import { describe, expect, it } from 'vitest';
import { id, Signer } from '../testing/signing.ts';
import { acceptOrder, type OrderExpectation, type OrderMessage } from './accept-order.ts';
import { readPublicKey } from './manifest-signature.ts';

const signer = new Signer();
const daemon = generateKeyPairSync('x25519');
const serverId = id('srv');
const release = {
  type: 'action_request',
  execution_id: 'exe_1',
  container_name: 'blog',
  action: { slug: 'hortus.release', type: 'builtin', command: [], timeout: '300s' },
  params: { remove_volumes: false },
};
const HOUR = 3_600_000;
const expected = (more: Partial<OrderExpectation> = {}): OrderExpectation => ({
  key: readPublicKey(signer.publicKey),
  privateKey: daemon.privateKey,
  serverId,
  connection: { take: () => undefined },
  now: Date.now(),
  ...more,
});
const why = (message: OrderMessage, more: Partial<OrderExpectation> = {}) => {
  const result = acceptOrder(JSON.parse(JSON.stringify(message)) as OrderMessage, expected(more));
  return result.ok ? 'accepted' : result.message;
};

describe('a built-in order', () => {
  it('of the pinned service for this server is accepted', () => {
    expect(why(signer.order(release, serverId))).toBe('accepted');
  });

  it('without a signature, or with one of another key, is refused', () => {
    expect(why({ ...release, server_id: serverId })).toContain('not signed');
    expect(why(new Signer().order(release, serverId))).toContain('not signed');
    expect(why({ ...signer.order(release, serverId), signature: 'AAAA' })).toContain('not signed');
  });

  it('is refused while no key of the service is pinned', () => {
    expect(why(signer.order(release, serverId), { key: undefined })).toContain('no public key');
  });

  it('with anything changed after signing is refused', () => {
    const order = signer.order(release, serverId);
    for (const change of [
      { params: { remove_volumes: true } },
      { execution_id: 'exe_2' },
      { container_name: 'shop' },
      { action: { ...release.action, slug: 'hortus.clear' } },
      { expires_at: new Date(Date.now() + 9 * HOUR).toISOString() },
      { surprise: true },
    ])
      expect(why({ ...order, ...change })).toContain('not signed');
  });

  it('for another server is refused', () => {
    expect(why(signer.order(release, id('srv', 2)))).toContain('not for this one');
    expect(why(signer.order(release, serverId), { serverId: undefined })).toContain('not for this one');
  });

  it('that has expired, has no time, or comes from the future is refused', () => {
    const order = signer.order(release, serverId);
    expect(why(order, { now: Date.now() + 2 * HOUR })).toContain('expired');
    const timeless = signer.order({ ...release, issued_at: '', expires_at: '' }, serverId);
    expect(why(timeless)).toContain('expired');
    const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
    const early = { ...release, issued_at: inHours(48), expires_at: inHours(72) };
    expect(why(signer.order(early, serverId))).toContain('future');
  });
});

it('secrets of an order can be opened only by the daemon they are sealed to', () => {
  const backup = { ...release, server_id: serverId, issued_at: new Date().toISOString(), params: { key: 'a2V5' } };
  const sealed = (to: typeof daemon.publicKey) =>
    signer.order(sealFields(backup, ['/params/key'], sealingKeyText(to), orderContext(backup)), serverId);
  expect(JSON.stringify(sealed(daemon.publicKey))).not.toContain('a2V5');
  expect(acceptOrder(sealed(daemon.publicKey), expected())).toMatchObject({
    ok: true,
    order: { params: { key: 'a2V5' } },
  });
  expect(why(sealed(generateKeyPairSync('x25519').publicKey))).toContain('another key pair');
});
