import { argon2Sync } from 'node:crypto';
import { expect, it } from 'vitest';
import { checkNewPassword, Passwords } from './passwords.ts';

const passwords = new Passwords();

it('knows a password again, and no other', async () => {
  const hash = await passwords.hash('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await passwords.hash('correct horse')).not.toBe(hash);
  expect(await passwords.verify('correct horse', hash)).toBe(true);
  expect(await passwords.verify('correct horsf', hash)).toBe(false);
  expect(await passwords.verify('', hash)).toBe(false);
});

it('takes a composed and a decomposed letter for the same', async () => {
  expect(await passwords.verify('pa\u0308ssword!', await passwords.hash('p\u00e4ssword!'))).toBe(true);
});

it('verifies a hash of other parameters, so that they can be raised', async () => {
  const nonce = Buffer.alloc(16);
  const tag = argon2Sync('argon2id', {
    message: 'password',
    nonce,
    tagLength: 24,
    memory: 64,
    passes: 1,
    parallelism: 1,
  });
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const hash = `$argon2id$v=19$m=64,t=1,p=1$${unpadded(nonce)}$${unpadded(tag)}`;
  expect(await passwords.verify('password', hash)).toBe(true);
  expect(await passwords.verify('Password', hash)).toBe(false);
});

it('says no for a user who does not exist, after doing the same work', async () => {
  expect(await passwords.verify('correct horse', undefined)).toBe(false);
});

it('lets only so many wait, and serves all who do', async () => {
  const own = new Passwords();
  const hash = await own.hash('correct horse');
  const results = await Promise.allSettled(Array.from({ length: 70 }, () => own.verify('correct horse', hash)));
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused).toHaveLength(4);
  expect(refused[0]?.reason).toMatchObject({ code: 'RATE_LIMITED', details: { retry_after: 5 } });
  expect(results.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(66);
  expect(await own.verify('correct horse', hash)).toBe(true);
});

it('wants from 10 to 256 characters', () => {
  for (const length of [10, 256]) checkNewPassword('new_password', 'x'.repeat(length));
  for (const length of [0, 9, 257]) {
    expect(() => checkNewPassword('new_password', 'x'.repeat(length))).toThrow('new_password');
  }
});
