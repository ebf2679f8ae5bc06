import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSignedWith } from './webhook-signature.ts';

const signed = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');

test('a delivery is accepted exactly if it was signed with the secret', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.string({ minLength: 1 }),
      async (secret, body, more) => {
        const signature = signed(secret, body);
        expect(await isSignedWith(secret, body, signature)).toBe(true);
        expect(await isSignedWith(secret, new TextEncoder().encode(body), signature)).toBe(true);
        expect(await isSignedWith(secret, `${body}${more}`, signature)).toBe(false);
        expect(await isSignedWith(`${secret}x`, body, signature)).toBe(false);
      },
    ),
    { numRuns: 30 },
  );
});

test('a missing or malformed signature is refused', async () => {
  const signature = signed('secret', 'body');
  for (const overrides of [undefined, null, '', 'x', signature.toUpperCase(), signature.slice(2), `${signature}00`])
    expect(await isSignedWith('secret', 'body', overrides)).toBe(false);
});
