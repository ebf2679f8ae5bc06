import { isOver, textOf, titleOf } from '../message.ts';
import { cut } from '../text.ts';
import { below, type Format, jsonRequest } from './format.ts';

const LONGEST = 8_000;

export const gotify: Format = ({ url = '', token = '' }, message) =>
  jsonRequest(
    below(url, '/message'),
    {
      title: cut(titleOf(message), 250),
      message: cut(textOf(message), LONGEST),
      // From 0 to 10; from 8 on, phones ring.
      priority: message.test || isOver(message) ? 4 : 8,
      extras: {
        'client::display': { contentType: 'text/plain' },
        'client::notification': { click: { url: message.link } },
      },
    },
    { 'X-Gotify-Key': token },
  );
