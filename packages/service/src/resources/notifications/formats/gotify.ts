import { isOver, textOf, titleOf } from '../message.ts';
import { below, type Format, jsonRequest } from './format.ts';

/** Gotify has no limit for a message; the longest that the service composes has some 12,000 characters. */
export const gotify: Format = ({ url = '', token = '' }, message) =>
  jsonRequest(
    below(url, '/message'),
    {
      title: titleOf(message),
      message: textOf(message),
      // From 0 to 10; from 8 on, phones ring.
      priority: message.test || isOver(message) ? 4 : 8,
      extras: {
        'client::display': { contentType: 'text/plain' },
        'client::notification': { click: { url: message.link } },
      },
    },
    { 'X-Gotify-Key': token },
  );
