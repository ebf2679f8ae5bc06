import { argon2Sync } from 'node:crypto';
import { expect, it } from 'vitest';
import { AT_ONCE, checkNewPassword, Passwords } from './passwords.ts';

const passwords = new Passwords();

it('the right password is accepted, any other is refused', async () => {
  const hash = await passwords.hash('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await passwords.hash('correct horse')).not.toBe(hash);
  expect(await passwords.verify('correct horse', hash)).toBe(true);
  expect(await passwords.verify('correct horsf', hash)).toBe(false);
  expect(await passwords.verify('', hash)).toBe(false);
});

it('composed and decomposed Unicode letters are equal in a password', async () => {
  expect(await passwords.verify('pa\u0308ssword!', await passwords.hash('p\u00e4ssword!'))).toBe(true);
});

it('hashes with other parameters are verified, so that the cost can be raised', async () => {
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

it('an unknown user costs the same hash work as a wrong password', async () => {
  const work: unknown[] = [];
  const derive = async (_password: string, salt: Buffer, cost: object, tagLength: number) => {
    work.push({ saltLength: salt.length, cost, tagLength });
    return Buffer.alloc(tagLength);
  };
  const watched = new Passwords({ derive });
  expect(await watched.verify('wrong horse', await passwords.hash('correct horse'))).toBe(false);
  expect(await watched.verify('wrong horse', undefined)).toBe(false);
  expect(work).toHaveLength(2);
  expect(work[1]).toEqual(work[0]);
});

/** Hashes that end when the test says so. */
function heldHashes(maxWaiting: number) {
  const ends: (() => void)[] = [];
  const derive = (_password: string, _salt: Buffer, _cost: object, tagLength: number) =>
    new Promise<Buffer>((done) => ends.push(() => done(Buffer.alloc(tagLength))));
  const turn = () => new Promise(setImmediate);
  const endOne = async () => {
    await turn();
    ends.shift()?.();
    await turn();
  };
  return { endOne, held: new Passwords({ maxWaiting, derive }) };
}

it('the queue for hashing is bounded, and everything in it is served', async () => {
  const { endOne, held } = heldHashes(3);
  const served = Array.from({ length: AT_ONCE + 3 }, () => held.verify('correct horse', undefined));
  await expect(held.verify('correct horse', undefined)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    details: { retry_after: 5 },
  });
  for (const verified of served) {
    await endOne();
    expect(await verified).toBe(false);
  }
});

it('a sign-in from a known network goes ahead of a flood that fills the queue', async () => {
  const { endOne, held } = heldHashes(3);
  const order: string[] = [];
  const flood = Array.from({ length: AT_ONCE + 3 }, () =>
    held.verify('guess', undefined).then(() => order.push('guess')),
  );
  const known = held.verify('correct horse', undefined, true).then(() => order.push('known'));
  for (let i = 0; i <= flood.length; i++) await endOne();
  await Promise.all([known, ...flood]);
  expect(order.indexOf('known')).toBe(AT_ONCE);
});

it('a password has 10 to 256 characters', () => {
  for (const length of [10, 256]) checkNewPassword('new_password', 'x'.repeat(length));
  for (const length of [0, 9, 257]) {
    expect(() => checkNewPassword('new_password', 'x'.repeat(length))).toThrow('new_password');
  }
});
