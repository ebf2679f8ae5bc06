import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message, MessageItem } from '../message.ts';
import { cut, cutBytes } from '../text.ts';
import { formats } from './all.ts';
import { email } from './email.ts';
import type { ChannelConfig } from './format.ts';
import { discord, gotify, mostBytes, ntfy, slack, teams, telegram, url } from './testing/published-schemas.ts';
import { fill, unknownPlaceholder } from './url.ts';

const item = (title: string, text = 'Its 10 instances are not visible.'): MessageItem => ({
  phase: 'opened',
  title,
  text,
  fix: 'hortus servers show srv_1',
  since: 0,
  ended: null,
});
const message = (...items: MessageItem[]): Message => ({
  id: 'ntf_01j9zq3v5t8x2m4n6p7r9s0abc',
  at: 0,
  items,
  more: 0,
  link: 'https://hortus.example.org',
});
const test: Message = { ...message(), test: true };

const configs = {
  slack: { url: 'https://hooks.slack.com/services/T0/B0/x' },
  discord: { url: 'https://discord.com/api/webhooks/1/x' },
  teams: { url: 'https://example.webhook.office.com/x' },
  telegram: { token: '123:abc', chat_id: '-100200' },
  ntfy: { topic: 'alerts', token: 'tk_x' },
  gotify: { url: 'https://push.example.org/gotify/', token: 'Ax' },
  url: { url: 'https://example.org/in' },
} satisfies Record<keyof typeof formats, ChannelConfig>;
const published = { slack, discord, teams, telegram, ntfy, gotify, url };
const types = Object.keys(configs) as (keyof typeof configs)[];
const bodyOf = (type: keyof typeof configs, of: Message) => JSON.parse(formats[type](configs[type], of).body);

/** The longest that the service composes: ten items of the longest names, every character of which may be escaped. */
const worst = (character: string) =>
  message(...Array.from({ length: 10 }, () => item(character.repeat(200), character.repeat(600))));
const hostile = ['<', '&', '*', '@', '"', '\\', '☃', '💥'];

describe.each(types)('%s', (type) => {
  const ajv = new Ajv({ strict: false });
  const check = ajv.compile(published[type]);

  it.each<readonly [string, Message]>([
    ['one alert', message(item('Server web-1 is offline'))],
    ['a test', test],
    ['a resolved alert', message({ ...item('x'), phase: 'resolved', ended: 60_000 })],
    ['alerts and a summary', { ...message(item('a'), item('b')), more: 990 }],
    ...hostile.map((one) => [`the longest message of ${JSON.stringify(one)}`, worst(one)] as const),
  ])('keeps to the published schema and limits with %s', (_, of) => {
    const request = formats[type](configs[type], of);
    expect(check(JSON.parse(request.body)), JSON.stringify(check.errors)).toBe(true);
    expect(Buffer.byteLength(request.body)).toBeLessThanOrEqual(mostBytes[type]);
    expect(request.headers['Content-Type']).toBe('application/json');
  });

  it('has what happened and the way to fix it in the text', () => {
    const body = formats[type](configs[type], message(item('Server web-1 is offline'))).body.replaceAll('\\', '');
    for (const part of ['Server web-1 is offline', 'hortus servers show srv_1', 'https://hortus.example.org'])
      expect(body).toContain(part);
  });
});

describe('a name that looks like a mention calls no one', () => {
  const named = message(item('Instance <!channel> <@U1> @everyone @here @admin [x](https://evil.example) is down'));

  it('in Slack, which reads mentions between angle brackets', () => {
    const { text, blocks } = bodyOf('slack', named);
    for (const shown of [text, ...blocks.map((one: { text: { text: string } }) => one.text.text)])
      expect(shown).not.toMatch(/<[!@#]/);
    expect(blocks[0].text).toMatchObject({ type: 'mrkdwn', verbatim: true });
  });
  it('in Discord, where mentions are turned off and markup is escaped', () => {
    const { embeds, allowed_mentions, content } = bodyOf('discord', { ...named, items: [...named.items, item('b')] });
    expect(allowed_mentions).toEqual({ parse: [] });
    expect(content).toBeUndefined();
    expect(embeds[0].description).toContain('\\@everyone \\@here');
    expect(embeds[0].description).not.toContain('](');
  });
  it('in Teams, whose mentions need entities', () => {
    const { content } = bodyOf('teams', named).attachments[0];
    expect(content.msteams).toBeUndefined();
    expect(JSON.stringify(content.body)).not.toContain('](');
    expect(JSON.stringify(content.body)).not.toContain('<!');
  });
  it('in Telegram, which looks for @names in plain text', () => {
    const { text, parse_mode } = bodyOf('telegram', named);
    expect(parse_mode).toBeUndefined();
    expect(text).not.toMatch(/@\w/);
  });
});

describe('addresses', () => {
  it('are those of the published interfaces', () => {
    const urlOf = (type: keyof typeof configs) => formats[type](configs[type], test).url;
    expect(urlOf('telegram')).toBe('https://api.telegram.org/bot123:abc/sendMessage');
    expect(urlOf('ntfy')).toBe('https://ntfy.sh/');
    expect(urlOf('gotify')).toBe('https://push.example.org/gotify/message');
    expect(formats.gotify(configs.gotify, test).headers).toMatchObject({ 'X-Gotify-Key': 'Ax' });
    expect(formats.ntfy(configs.ntfy, test).headers).toMatchObject({ Authorization: 'Bearer tk_x' });
    expect(formats.url(configs.url, test).headers).toMatchObject({ 'X-Service-Delivery': test.id });
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
    const body = fill(template, worst('"'), 'application/json');
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
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 4, max: 40 }), (text, most) => {
      expect(cut(text, most).length).toBeLessThanOrEqual(most);
      expect(Buffer.byteLength(cutBytes(text, most))).toBeLessThanOrEqual(most);
      if (text.isWellFormed()) {
        expect(cut(text, most).isWellFormed()).toBe(true);
        expect(cutBytes(text, most).includes('\ufffd')).toBe(
          text.includes('\ufffd') && cutBytes(text, most).includes('\ufffd'),
        );
      }
    }),
  );
});
