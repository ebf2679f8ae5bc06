import { isOver, type Message, textOf, titleOf } from '../message.ts';
import { fitting } from './fitting.ts';
import { below, type Format, jsonRequest } from './format.ts';

/** A message of 4,096 bytes or more becomes an attachment, which many servers refuse. */
const MAX_MESSAGE_LENGTH = 4_000;
/** The server reads a JSON body of at most twice its message limit. */
const MAX_BODY_LENGTH = 8_000;
const SERVER = 'https://ntfy.sh';

export const ntfy: Format = ({ url = SERVER, topic = '', token }, message) => {
  const contentOf = (of: Message) => ({
    topic,
    title: titleOf(of),
    message: textOf(of),
    // From 1 to 5; 3 is the default.
    priority: of.test || isOver(of) ? 3 : 4,
    tags: [of.test || isOver(of) ? 'white_check_mark' : 'warning'],
    click: of.link,
  });
  const fits = (content: ReturnType<typeof contentOf>): boolean =>
    Buffer.byteLength(content.message) <= MAX_MESSAGE_LENGTH &&
    Buffer.byteLength(JSON.stringify(content)) <= MAX_BODY_LENGTH;
  return jsonRequest(
    below(url, '/'),
    fitting(message, contentOf, fits),
    token === undefined ? {} : { Authorization: `Bearer ${token}` },
  );
};
