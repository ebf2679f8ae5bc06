import { createHmac, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { Secret } from '@hortus/contract/template/secrets';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import { characters } from './random.ts';
import { generateSecrets } from './secrets.ts';

const specWith = (secrets: Record<string, Secret>) =>
  canonical({
    slug: 's',
    name: 'S',
    version: '1.0.0',
    archetype: 'worker',
    taxonomy: { kingdom: 'data', family: 'test' },
    image: { repository: 'a', tag: '1' },
    secrets,
  });
const generated = async (secret: Secret) => (await generateSecrets(specWith({ S: secret }))).S ?? '';

describe('generateSecrets', () => {
  it('uses the requested length and characters', async () => {
    const forms = {
      password: /^[A-Za-z0-9._~-]*$/,
      hex: /^[0-9a-f]*$/,
      alnum: /^[A-Za-z0-9]*$/,
      username: /^[a-z][a-z0-9]*$/,
      base64: /^[A-Za-z0-9+/]*$/,
    };
    const generators = Object.keys(forms) as (keyof typeof forms)[];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...generators), fc.integer({ min: 1, max: 4096 }), async (generate, length) => {
        const value = await generated({ generate, length });
        expect(value).toHaveLength(length);
        expect(value).toMatch(forms[generate]);
      }),
    );
  });

  it('measures the length in bytes if requested', async () => {
    expect(Buffer.from(await generated({ generate: 'base64', length: 48, unit: 'bytes' }), 'base64')).toHaveLength(48);
    expect(await generated({ generate: 'hex', length: 20, unit: 'bytes' })).toHaveLength(40);
  });

  it('generates UUIDs of version 4 and unprivileged ports', async () => {
    for (let i = 0; i < 50; i++) {
      expect(await generated({ generate: 'uuid' })).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      const port = Number(await generated({ generate: 'port' }));
      expect(port).toBeGreaterThanOrEqual(20_000);
      expect(port).toBeLessThan(32_768);
    }
  });

  it('signs a token with another secret, whatever their order', async () => {
    const spec = specWith({
      A_TOKEN: { generate: 'jwt', signed_with: 'KEY', claims: { role: 'anon' }, expires_in: '1h' },
      KEY: { generate: 'hex' },
    });
    const { A_TOKEN: token = '', KEY: key = '' } = await generateSecrets(spec, { now: () => 1_700_000_000_000 });
    const [head, body, signature] = token.split('.');
    expect(createHmac('sha256', key).update(`${head}.${body}`).digest('base64url')).toBe(signature);
    expect(JSON.parse(Buffer.from(body ?? '', 'base64url').toString())).toEqual({
      role: 'anon',
      iat: 1_700_000_000,
      exp: 1_700_003_600,
    });
  });

  it.each(['ed25519', 'rsa'] as const)('generates both keys of an %s key pair', async (algorithm) => {
    const made = await generateSecrets(specWith({ KEY: { generate: 'keypair', algorithm } }));
    const hash = algorithm === 'rsa' ? 'sha256' : null;
    const signature = sign(hash, Buffer.from('x'), createPrivateKey(made.KEY ?? ''));
    expect(verify(hash, Buffer.from('x'), createPublicKey(made['KEY.public'] ?? ''), signature)).toBe(true);
  });

  it('keeps external and existing secrets', async () => {
    const spec = specWith({ INPUT: { external: true }, OLD: { generate: 'hex' }, NEW: { generate: 'hex' } });
    expect(Object.keys(await generateSecrets(spec, { existing: { OLD: 'x' } }))).toEqual(['NEW']);
  });

  it('never generates the same value twice', async () => {
    const made = await Promise.all(Array.from({ length: 2000 }, () => generated({ generate: 'alnum', length: 16 })));
    expect(new Set(made).size).toBe(made.length);
  });

  it('draws characters uniformly', () => {
    let next = 0;
    const everyByte = (size: number) => Uint8Array.from({ length: size }, () => next++ % 256);
    const counts = new Map<string, number>();
    for (const c of characters('abcdefghijk', 11 * 23 * 4, everyByte)) counts.set(c, (counts.get(c) ?? 0) + 1);
    expect(new Set(counts.values()).size).toBe(1);
  });
});
