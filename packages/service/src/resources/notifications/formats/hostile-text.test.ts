import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TEXT_LENGTH, MAX_TITLE_LENGTH } from '../alerts/finding.ts';
import { MAX_SHOWN } from '../deliveries/compose.ts';
import type { Message, MessageItem } from '../message.ts';
import { clean } from '../text.ts';
import { formats } from './all.ts';
import { configs, item, message, type Type, types } from './testing/messages.ts';
import {
  discord,
  gotify,
  keepsTogether,
  maxBytes,
  ntfy,
  slack,
  teams,
  telegram,
  url,
} from './testing/published-schemas.ts';

const schemas = { slack, discord, teams, telegram, ntfy, gotify, url };
const bodyOf = (type: Type, of: Message) => JSON.parse(formats[type](configs[type], of).body);

/** Texts that chat programs treat specially, among any others. */
const fragment = fc.oneof(
  fc.constantFrom(
    ...['@everyone', '@here', '<!channel>', '<@U1>', '<@&123>', '<#C1|x>', '<https://evil.example|x>', '@admin'],
    ...[
      '[x](https://evil.example)',
      '**b**',
      '*b*',
      '_i_',
      '~s~',
      '`c`',
      '```',
      '> q',
      '# h',
      '- l',
      '||s||',
      ':fire:',
    ],
    ...[
      '&lt;',
      '&amp;',
      '{{DATE(2017-02-14T06:08:39Z,SHORT)}}',
      '<at>all</at>',
      '<b>',
      '{{link}}',
      '\\',
      '"',
      '💥',
      '☃',
    ],
  ),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const textUpTo = (max: number) =>
  fc
    .tuple(fc.array(fragment, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 100 }))
    .map(([parts, times]) => clean(parts.join(' ').repeat(times), max));
const id = (prefix: string) => `${prefix}_01j9zq3v5t8x2m4n6p7r9s0abc`;
const fixes = [
  `hortus servers show ${id('srv')}; on the server: systemctl status hortusd`,
  `hortus logs --deployment ${id('dep')}`,
];

const items: fc.Arbitrary<MessageItem> = fc.record({
  phase: fc.constantFrom('opened' as const, 'resolved' as const),
  title: textUpTo(MAX_TITLE_LENGTH),
  text: textUpTo(MAX_TEXT_LENGTH),
  fix: fc.constantFrom(...fixes),
  since: fc.integer({ min: 0, max: 4e12 }),
  ended: fc.constant(4e12),
});
/** Every message that the service can compose. */
const messages: fc.Arbitrary<Message> = fc
  .tuple(fc.array(items, { minLength: 1, maxLength: MAX_SHOWN }), fc.constantFrom(0, 1, 990, 10_000))
  .map(([shown, more]) => ({ ...message(...shown), more }));
/** The longest: every character may be escaped, or take four bytes. */
const longest = ['<', '&', '*', '@', '"', '\\', '☃', '💥'].map((character) => ({
  ...message(
    ...Array.from({ length: MAX_SHOWN }, () => ({
      ...item(character.repeat(MAX_TITLE_LENGTH), character.repeat(MAX_TEXT_LENGTH)),
      fix: fixes[0] ?? '',
    })),
  ),
  more: 10_000,
}));

describe.each(types)('any text', (type) => {
  const check = new Ajv({ strict: false }).compile(schemas[type]);
  const together = (keepsTogether as Partial<Record<Type, (body: never) => boolean>>)[type];

  it(`becomes a message that ${type} accepts, with what to do, the count and the link`, () => {
    const holds = (of: Message) => {
      const { body } = formats[type](configs[type], of);
      const parsed = JSON.parse(body);
      expect(check(parsed), JSON.stringify(check.errors)).toBe(true);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(maxBytes[type]);
      expect(together?.(parsed as never) ?? true).toBe(true);
      const shown = body.replaceAll('\\', '');
      expect(shown).toContain('https://hortus.example.org');
      if (of.items[0]?.phase === 'opened') expect(shown).toContain(of.items[0].fix);
      if (of.more > 0) expect(shown).toMatch(/\d+ more alerts are summarised here/);
    };
    for (const item of longest) holds(item);
    fc.assert(fc.property(messages, holds));
  });
});

describe('names cannot call people or add markup', () => {
  /** Undo what the chat programs undo, to compare with what a reader sees. */
  const withoutEntities = (text: string) =>
    text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const withoutBackslashes = (text: string) => text.replace(/\\(.)/gsu, '$1');
  const short = fc.tuple(fragment, fragment).map((parts) => message(item(clean(`x ${parts.join(' ')}`, 100), '')));
  const holds = (property: (of: Message, title: string) => void) =>
    fc.assert(fc.property(short, (of) => property(of, of.items[0]?.title ?? '')));

  it('in Slack, where they are plain text without control characters', () => {
    holds((of, title) => {
      const { text, mrkdwn, blocks } = bodyOf('slack', of);
      const [shown, ...rest] = blocks.map((block: { text: { type: string; text: string } }) => block.text);
      expect(mrkdwn).toBe(false);
      for (const item of [text, shown.text]) expect(item).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      expect(shown).toMatchObject({ type: 'plain_text', emoji: false });
      expect(withoutEntities(shown.text)).toContain(title);
      expect(rest).toEqual([{ type: 'mrkdwn', text: '<https://hortus.example.org>', verbatim: true }]);
    });
  });

  it('in Discord, where mentions are turned off and markup is escaped', () => {
    holds((of, title) => {
      for (const message of [of, { ...of, items: [...of.items, item('b')] }]) {
        const { embeds, allowed_mentions, content } = bodyOf('discord', message);
        expect(allowed_mentions).toEqual({ parse: [] });
        expect(content).toBeUndefined();
        const { title: heading, description } = embeds[0];
        const texts = [heading, description.replaceAll(/^\*\*|\*\*$/gm, '')];
        for (const text of texts) expect(text.replaceAll(/\\./gsu, '')).not.toMatch(/[*_~`|>[\]()#@<]/);
        expect(texts.map(withoutBackslashes).join('\n')).toContain(title);
      }
    });
  });

  it('in Teams, whose mentions need entities, and whose Markdown is escaped', () => {
    holds((of, title) => {
      const { content } = bodyOf('teams', of).attachments[0];
      expect(content.msteams).toBeUndefined();
      for (const { text } of content.body)
        expect(text.replaceAll(/\\./gsu, '')).not.toMatch(/[*_`[\]()#~|<>]|&(?!amp;|lt;|gt;)/);
      expect(withoutEntities(withoutBackslashes(content.body[0].text))).toContain(title);
    });
  });

  it('in Telegram, which has no markup in plain text but looks for @names', () => {
    holds((of, title) => {
      const { text, parse_mode, entities } = bodyOf('telegram', of);
      expect([parse_mode, entities]).toEqual([undefined, undefined]);
      expect(text).not.toMatch(/@\w/);
      expect(text.replaceAll('@\u2060', '@')).toContain(title.replaceAll('@\u2060', '@'));
    });
  });

  it('in ntfy and Gotify, which show plain text unless asked for Markdown', () => {
    holds((of, title) => {
      const push = bodyOf('ntfy', of);
      expect(push.markdown).toBeUndefined();
      expect(push.title).toContain(title);
      const { title: heading, extras } = bodyOf('gotify', of);
      expect(extras['client::display']).toEqual({ contentType: 'text/plain' });
      expect(heading).toContain(title);
    });
  });
});
