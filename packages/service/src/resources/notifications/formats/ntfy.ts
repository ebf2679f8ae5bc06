import { isOver, textOf, titleOf } from '../message.ts';
import { cut, cutBytes } from '../text.ts';
import { below, type Format, jsonRequest } from './format.ts';

/** A longer message becomes an attachment. */
const LONGEST_BYTES = 4_096;
const LONGEST_TITLE = 250;
const SERVER = 'https://ntfy.sh';

export const ntfy: Format = ({ url = SERVER, topic = '', token }, message) =>
  jsonRequest(
    below(url, '/'),
    {
      topic,
      title: cut(titleOf(message), LONGEST_TITLE),
      message: cutBytes(textOf(message), LONGEST_BYTES),
      // From 1 to 5; 3 is the default.
      priority: message.test || isOver(message) ? 3 : 4,
      tags: [message.test || isOver(message) ? 'white_check_mark' : 'warning'],
      click: message.link,
    },
    token === undefined ? {} : { Authorization: `Bearer ${token}` },
  );
