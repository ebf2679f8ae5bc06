import type { ChannelType } from '@hortus/contract/resources/notification-channels';
import { discord } from './discord.ts';
import type { Format } from './format.ts';
import { gotify } from './gotify.ts';
import { ntfy } from './ntfy.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';
import { anyUrl } from './url.ts';

/** The formats of all channels that are reached by HTTP; mails have their own. */
export const formats: Readonly<Record<Exclude<ChannelType, 'email'>, Format>> = {
  slack,
  discord,
  teams,
  telegram,
  ntfy,
  gotify,
  url: anyUrl,
};
