// What other resources may use of notifications.
export { type Channels, MAX_CHANNELS } from './channels/service.ts';
export type { ChannelConfig } from './formats/format.ts';
export { defaults } from './rules/presets.ts';
export type { Rules } from './rules/service.ts';
