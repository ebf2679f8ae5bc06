import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openFields, sealFields } from './sealed-fields.ts';
import { isSealingKey, sealingKeyText } from './sealing-key.ts';

const daemon = generateKeyPairSync('x25519');
const recipient = sealingKeyText(daemon.publicKey);
const context = { kind: 'manifest', server_id: 'srv_1', deployment_id: 'dep_1', revision: 2, spec_hash: 'sha256:1' };
const order = { name: 'blog', components: [{ env: { 'A/B': 'hunter2', OPEN: 'yes' } }] };
const secret = '/components/0/env/A~1B';
const seal = () => sealFields(order, [secret], recipient, context);

describe('sealed fields', () => {
  it('contain no plaintext, and can be opened by the recipient', () => {
    const sealed = seal();
    expect(JSON.stringify(sealed)).not.toContain('hunter2');
    expect(sealed.components[0]?.env).toEqual({ 'A/B': '', OPEN: 'yes' });
    const { sealed: _, ...opened } = openFields(sealed, daemon.privateKey, context);
    expect(opened).toEqual(order);
  });

  it('sealed to several recipients open with each of their key pairs, and with no other', () => {
    const members = [generateKeyPairSync('x25519'), generateKeyPairSync('x25519')];
    const keys = members.map(({ publicKey }) => sealingKeyText(publicKey));
    const sealed = sealFields(order, [secret], recipient, context, keys);
    expect(JSON.stringify(sealed)).not.toContain('hunter2');
    for (const { privateKey } of [daemon, ...members]) {
      const { sealed: _, ...opened } = openFields(sealed, privateKey, context);
      expect(opened).toEqual(order);
    }
    expect(() => openFields(sealed, generateKeyPairSync('x25519').privateKey, context)).toThrow();
  });

  it('do not open with another key pair', () => {
    expect(() => openFields(seal(), generateKeyPairSync('x25519').privateKey, context)).toThrow();
  });

  it.each(Object.keys(context))('do not open with another %s', (name) => {
    expect(() => openFields(seal(), daemon.privateKey, { ...context, [name]: 'other' })).toThrow();
  });

  it('do not open in another field', () => {
    const sealed = seal();
    const moved = { ...sealed, sealed: { ...sealed.sealed, fields: { '/name': sealed.sealed?.fields[secret] } } };
    expect(() => openFields(moved as typeof sealed, daemon.privateKey, context)).toThrow();
  });

  it('do not open with a changed byte or a truncated tag', () => {
    const sealed = seal();
    const bytes = Buffer.from(sealed.sealed?.fields[secret] ?? '', 'base64');
    const flipped = Buffer.from(bytes);
    flipped[13] = (flipped[13] ?? 0) ^ 1;
    for (const spoilt of [flipped, bytes.subarray(0, -1), bytes.subarray(0, 20), Buffer.alloc(0)]) {
      const fields = { [secret]: spoilt.toString('base64') };
      const other = { ...sealed, sealed: { ...sealed.sealed, fields } };
      expect(() => openFields(other as typeof sealed, daemon.privateKey, context)).toThrow();
    }
  });

  it('never reuse a key: the same order sealed again shares no bytes', () => {
    const [item, two] = [seal().sealed, seal().sealed];
    expect(item?.ephemeral_key).not.toBe(two?.ephemeral_key);
    expect(item?.fields[secret]).not.toBe(two?.fields[secret]);
  });

  it('cannot pollute a prototype', () => {
    const sealed = sealFields({ a: 'x' }, ['/__proto__/a', '/constructor/name'], recipient, context);
    expect(sealed.sealed?.fields).toEqual({});
  });
});

describe('a sealing key', () => {
  const spki = (point: Buffer) => Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), point]);

  it('of low order, of another type or in another encoding is refused', () => {
    const item = Buffer.alloc(32);
    item[0] = 1;
    for (const point of [Buffer.alloc(32), item]) expect(isSealingKey(spki(point).toString('base64'))).toBe(false);
    expect(isSealingKey(sealingKeyText(generateKeyPairSync('ed25519').publicKey))).toBe(false);
    expect(isSealingKey('nonsense')).toBe(false);
    expect(isSealingKey(`${recipient}\n`)).toBe(false);
    expect(isSealingKey(recipient)).toBe(true);
  });
});
