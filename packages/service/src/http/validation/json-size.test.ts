import { expect, it } from 'vitest';
import { JsonSize } from './json-size.ts';

const counted = (text: string, chunk = text.length) => {
  const size = new JsonSize(20);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) size.add(bytes.subarray(at, at + chunk));
  return size.values;
};

it.each([
  ['{"a":1,"b":[1,2]}', 4],
  ['{"a":"[,{"}', 1],
  ['{"a":"\\"[,{","b":"\\\\","c":[]}', 4],
])('counts the values of %s, however its bytes arrive', (text, values) => {
  for (const chunk of [1, 2, 3, 64]) expect(counted(text, chunk)).toBe(values);
});

it('a body with too many values or levels is refused before it is parsed', () => {
  expect(() => counted(`[${'1,'.repeat(21)}1]`)).toThrow('body: must not contain more than 20 values.');
  expect(() => counted('['.repeat(101))).toThrow('body: must not be nested deeper than 64 levels.');
});
