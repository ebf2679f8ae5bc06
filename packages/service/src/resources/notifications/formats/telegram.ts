import { type Message, textOf, titleOf } from '../message.ts';
import { fitting } from './fitting.ts';
import { below, type Format, jsonRequest } from './format.ts';

/** Limit of the Bot API for a text. */
const MAX_LENGTH = 4_096;
const SERVER = 'https://api.telegram.org';

/** Plain text has no markup, but Telegram calls users whose @name it contains; a word joiner prevents that. */
const withoutMentions = (text: string): string => text.replace(/@(?=\w)/g, '@\u2060');

const contentOf = (message: Message): string => withoutMentions(`${titleOf(message)}\n\n${textOf(message)}`);

export const telegram: Format = ({ url = SERVER, token = '', chat_id = '' }, message) =>
  jsonRequest(below(url, `/bot${token}/sendMessage`), {
    chat_id,
    text: fitting(message, contentOf, ({ length }) => length <= MAX_LENGTH),
    link_preview_options: { is_disabled: true },
  });
