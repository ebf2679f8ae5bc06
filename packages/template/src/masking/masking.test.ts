import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maskOf, SLICE } from './masking.ts';
import { SharedTurns } from './turns.ts';

const masked = async (secrets: string[], text: string) => (await maskOf(secrets))(text);

/** Turns that are over at every check, so that masking pauses wherever it can. */
const endingAtOnce = () => ({
  count: 0,
  isOver: () => true,
  async next() {
    this.count++;
  },
});

it('secrets are masked at every position, longer ones first', async () => {
  const mask = await maskOf(['hunter2', 'hunter2hunter2']);
  expect(await mask('a hunter2hunter2 b hunter2 c hunter')).toBe('a *** b *** c hunter');
});

it('short values and other text are not masked', async () => {
  const mask = await maskOf(['short', '', 'longenough']);
  expect(await mask('short and longenoug')).toBe('short and longenoug');
  expect(await masked([], 'nothing')).toBe('nothing');
});

it('special characters of regular expressions are matched literally', async () => {
  expect(await masked(['a.c(d)[e]*'], 'abc(d)[e]* a.c(d)[e]*')).toBe('abc(d)[e]* ***');
  expect(await masked(['secret-$&-value'], 'x secret-$&-value')).toBe('x ***');
});

it('secrets are masked in percent-encoding, base64 and JSON as well', async () => {
  const secret = 'p@ss "word"\\1';
  const mask = await maskOf([secret]);
  const forms = [encodeURIComponent(secret), Buffer.from(secret).toString('base64'), JSON.stringify(secret)];
  for (const form of forms) expect(await mask(`<${form}>`)).toMatch(/^<"?\*\*\*=*"?>$/);
});

it('each line of a key is masked, but not the PEM header that all keys share', async () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n';
  const mask = await maskOf([key]);
  expect(await mask('MIIEvQIBADANBg')).toBe('***');
  expect(await mask('key: kqhkiG9w0BAQEF')).toBe('key: ***');
  expect(await mask('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
});

it('the secret part of an address or a header is masked where it stands alone', async () => {
  const basic = `Basic ${Buffer.from('user:pair-password').toString('base64')}`;
  const mask = await maskOf([
    'postgres://app:p%40ss%2Fword@db:5432/app',
    'redis://:r@w/word@cache',
    'Bearer t0ken-1',
    basic,
  ]);
  expect(await mask('for p%40ss%2Fword or p@ss/word')).toBe('for *** or ***');
  expect(await mask('wrong: r@w/word; token t0ken-1; got pair-password')).toBe('wrong: ***; token ***; got ***');
  expect(await mask('db:5432/app cache Bearer user')).toBe('db:5432/app cache Bearer user');
});

it('overlapping secrets, and a secret inside another, are masked', async () => {
  expect(await masked(['abcdefgh', 'efghijkl'], '<abcdefghijkl>')).toBe('<***>');
  expect(await masked(['password', 'the-password-of-all'], 'x the-password-of-all y password z')).toBe('x *** y *** z');
  expect(await masked(['x'], 'x marks the spot')).toBe('x marks the spot');
});

it('a secret of a megabyte is masked, also in part, without an error that would quote it', async () => {
  const long = randomBytes(750_000).toString('base64');
  const mask = await maskOf([long, 'hunter2hunter2']);
  expect(await mask(`a ${long} b hunter2hunter2 c`)).toBe('a *** b *** c');
  const part = await mask(`cut: ${long.slice(0, 5_000)}`);
  expect(part.length).toBeLessThan(80);
});

it('masking yields to the event loop by the length of the text, whatever the secrets', async () => {
  // Each begins like the text and none is in it.
  const alike = Array.from({ length: 2_000 }, (_, i) => `${'a'.repeat(6 + (i % 57))}-${i}`);
  const many = Array.from({ length: 2_000 }, (_, i) => `secret-number-${i}`);
  const turns = endingAtOnce();
  const mask = await maskOf([...alike, ...many], turns);
  expect(turns.count).toBeGreaterThan(4_000);
  turns.count = 0;
  const text = 'a'.repeat(10 * SLICE);
  expect(await mask(text)).toBe(text);
  expect(turns.count).toBe(10);
});

it('a secret that crosses the border of two slices is masked', async () => {
  const short = 'hunter2hunter2';
  const long = randomBytes(120).toString('base64');
  const mask = await maskOf([short, long], endingAtOnce());
  for (const secret of [short, long])
    for (let before = SLICE - secret.length - 1; before <= SLICE + 1; before++) {
      const masked = await mask(`${'.'.repeat(before)}${secret}${'.'.repeat(SLICE)}`);
      expect(masked).toBe(`${'.'.repeat(before)}***${'.'.repeat(SLICE)}`);
    }
  expect(await mask(short.repeat(SLICE))).toBe('***');
});

it('concurrently masked texts do not mix', async () => {
  const mask = await maskOf(['hunter2hunter2'], endingAtOnce());
  const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(3 * SLICE));
  const masked = await Promise.all(texts.map((text) => mask(`${text} hunter2hunter2 ${text}`)));
  expect(masked).toEqual(texts.map((text) => `${text} *** ${text}`));
});

it('waiting callers get one turn of the event loop each, in order', async () => {
  const turns = new SharedTurns();
  let turn = 0;
  let counting = true;
  const count = () => {
    turn++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const seen = await Promise.all(['a', 'b', 'c'].map((name) => turns.next().then(() => `${name} ${turn}`)));
  counting = false;
  expect(seen.map((text) => text[0])).toEqual(['a', 'b', 'c']);
  expect(new Set(seen.map((text) => text.slice(2))).size).toBe(3);
});

it('masking gives the same result as a naive search for every secret at every position', async () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '💧'), minLength: 6, maxLength: 150 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(letters, { maxLength: 5 }),
      fc.array(letters, { maxLength: 4 }),
      async (secrets, around) => {
        const text = [...around, ...secrets, ...around].join('|');
        const hidden = await masked(secrets, text);
        for (const secret of secrets) expect(hidden).not.toContain(secret);
        if (!secrets.some((secret) => text.includes(secret))) expect(hidden).toBe(text);
      },
    ),
  );
});
