import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../message.ts';
import { cut } from '../text.ts';
import { formats } from './all.ts';
import { email } from './email.ts';
import { configs, item, message, type Type, testMessage, types } from './testing/messages.ts';
import { discord, gotify, ntfy, slack, teams, telegram, url } from './testing/published-schemas.ts';
import { fill, unknownPlaceholder } from './url.ts';

const schemas = { slack, discord, teams, telegram, ntfy, gotify, url };

describe.each(types)('%s', (type) => {
  const check = new Ajv({ strict: false }).compile(schemas[type]);

  it.each<readonly [string, Message]>([
    ['one alert', message(item('Server web-1 is offline'))],
    ['a test', testMessage],
    ['a resolved alert', message({ ...item('x'), phase: 'resolved', ended: 60_000 })],
    ['alerts and a summary', { ...message(item('a'), item('b')), more: 990 }],
  ])('keeps to the published schema with %s', (_, of) => {
    const request = formats[type](configs[type], of);
    expect(check(JSON.parse(request.body)), JSON.stringify(check.errors)).toBe(true);
    expect(request.headers['Content-Type']).toBe('application/json');
  });

  it('has what happened and the way to fix it in the text', () => {
    const body = formats[type](configs[type], message(item('Server web-1 is offline'))).body.replaceAll('\\', '');
    for (const part of ['Server web-1 is offline', 'hortus servers show srv_1', 'https://hortus.example.org'])
      expect(body).toContain(part);
  });
});

describe('addresses', () => {
  it('are those of the published interfaces', () => {
    const urlOf = (type: Type) => formats[type](configs[type], testMessage).url;
    expect(urlOf('telegram')).toBe('https://api.telegram.org/bot123:abc/sendMessage');
    expect(urlOf('ntfy')).toBe('https://ntfy.sh/');
    expect(urlOf('gotify')).toBe('https://push.example.org/gotify/message');
    expect(formats.gotify(configs.gotify, testMessage).headers).toMatchObject({ 'X-Gotify-Key': 'Ax' });
    expect(formats.ntfy(configs.ntfy, testMessage).headers).toMatchObject({ Authorization: 'Bearer tk_x' });
    expect(formats.url(configs.url, testMessage).headers).toMatchObject({ 'X-Service-Delivery': testMessage.id });
  });
});

describe('a template', () => {
  const config = { ...configs.url, template: '{"msg":"{{ title }}: {{text}}","n":{{count}}}' };

  it('is filled once: values are escaped and their own braces stay text', () => {
    const named = message(item('a "quoted"\\ {{link}} {{constructor}} name'));
    const { body } = formats.url(config, named);
    expect(JSON.parse(body)).toMatchObject({
      msg: expect.stringContaining('a "quoted"\\ {{link}} {{constructor}}'),
      n: 1,
    });
  });
  it('cannot grow without bounds', () => {
    const template = '{{text}}'.repeat(1_024);
    const longest = item('"'.repeat(200), '"'.repeat(600));
    const body = fill(template, message(...Array.from({ length: 10 }, () => longest)), 'application/json');
    expect(body.length).toBeLessThanOrEqual(64 * 1_024);
  });
  it('knows only the documented placeholders', () => {
    expect(unknownPlaceholder('{{title}} {{ secret }}')).toBe('secret');
    expect(unknownPlaceholder('{{constructor}}')).toBe('constructor');
    expect(unknownPlaceholder('{{title}} {not} {{ at }}')).toBeUndefined();
  });
  it('may be plain text, which is not escaped', () => {
    const { body, headers } = formats.url(
      { ...config, template: '{{title}}', content_type: 'text/plain' },
      message(item('a "b"')),
    );
    expect(body).toBe('Alert: a "b"');
    expect(headers['Content-Type']).toBe('text/plain');
  });
});

it('a mail is plain text with the title as its subject', () => {
  const mail = email({ to: ['ops@example.org'] }, message(item('Server web-1 is offline')));
  expect(mail).toMatchObject({ to: ['ops@example.org'], subject: 'Alert: Server web-1 is offline' });
  expect(mail.text).toContain('To do: hortus servers show srv_1');
});

it('texts are cut to their limit without breaking a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 4, max: 40 }), (text, max) => {
      expect(cut(text, max).length).toBeLessThanOrEqual(max);
      if (text.isWellFormed()) expect(cut(text, max).isWellFormed()).toBe(true);
    }),
  );
});
