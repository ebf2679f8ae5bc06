import type { Mail } from '../../../mail/mailer.ts';
import { type Message, textOf, titleOf } from '../message.ts';
import type { ChannelConfig } from './format.ts';

const UNSUBSCRIBE = 'Change what is sent here with: hortus notifications rules list';

/** A plain text mail: nothing in it can be markup. */
export const email = ({ to = [] }: ChannelConfig, message: Message): Mail => ({
  id: message.id,
  to,
  subject: titleOf(message),
  text: `${titleOf(message)}\n\n${textOf(message)}\n\n-- \n${UNSUBSCRIBE}\n`,
});
