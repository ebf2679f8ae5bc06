import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as records from '../testing/records.ts';
import { scriptedTerminal } from '../testing/scripted-terminal.ts';
import { formatOf } from './format.ts';

const rows = [
  records.instance({ components: [] }),
  records.instance({ instance_uid: 'orders', name: 'Orders', health: 'unhealthy', url: null }),
];
const pipe = scriptedTerminal([]);
const printed = async (format: string, value: unknown, terminal = pipe) =>
  (await formatOf(format)).document(value, terminal);

test('-o json and -o yaml print the whole record', async () => {
  expect(JSON.parse(await printed('json', rows))).toEqual(rows);
  expect(parse(await printed('yaml', rows))).toEqual(rows);
  expect(parse(await printed('yaml', rows[0]))).toEqual(rows[0]);
});

test('-o name prints the word that other commands accept', async () => {
  expect(await printed('name', rows)).toBe('feeds\norders\n');
  expect(await printed('name', records.server())).toBe('web-1\n');
  expect(await printed('name', [records.template()])).toBe('reader\n');
  expect(await printed('name', records.deployment())).toBe(`${records.ids.deployment}\n`);
  expect(await printed('name', records.action())).toBe('db-dump\n');
  expect(await printed('name', [])).toBe('');
});

test('fields are separated by tabs in a pipe and aligned with a heading on a terminal', async () => {
  expect(await printed('name,health, url', rows)).toBe(
    'feeds\thealthy\thttps://feeds.example.org\nOrders\tunhealthy\t\n',
  );
  expect(await printed('name,health', rows, scriptedTerminal([], { live: true }))).toBe(
    'name    health\nfeeds   healthy\nOrders  unhealthy\n',
  );
});

test('a dotted field reads a nested value; lists are joined', async () => {
  expect(await printed('daemon.version,daemon.capabilities', records.server())).toBe('0.1.0\t\n');
  expect(await printed('secret_inputs,inputs', records.definition())).toBe(
    'ADMIN_PASSWORD\t{"WEB_HOSTNAME":"feeds.example.org"}\n',
  );
});

test('an unknown field is refused with the fields that exist', async () => {
  await expect(printed('name,colour', rows)).rejects.toMatchObject({
    exit: 'usage',
    message: 'There is no field colour.',
    hint: expect.stringContaining('instance_uid, species'),
  });
  await expect(printed('daemon.colour', records.server())).rejects.toMatchObject({
    hint: expect.stringContaining('daemon.version, daemon.os'),
  });
  await expect(printed('name;rm', rows)).rejects.toMatchObject({ message: expect.stringContaining('-o must be') });
});

test('-o json and -o yaml escape what a terminal would interpret, and lose nothing', async () => {
  const hostile = { name: 'a\u009b31m \u202egnp\u2028', '\u009bkey': ['\u007f', 'two\nlines'] };
  for (const format of ['json', 'yaml']) {
    const text = await printed(format, hostile);
    expect(text).not.toMatch(/[\u007f-\u009f\u202e\u2028]/);
    expect(parse(text)).toEqual(hostile);
  }
});

test('untrusted text cannot add a line or control the terminal', async () => {
  const hostile = records.server({ name: 'a\nb\t\u001b[2Jc', description: 'x\ty' });
  expect(await printed('name,description', hostile)).toBe('a b c\tx y\n');
  expect(await printed('name', hostile)).toBe('a b c\n');
});
