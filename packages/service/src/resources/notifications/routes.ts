import type { notificationEndpoints } from '@hortus/contract/resources/notifications';
import type { Handlers } from '../../http/handler.ts';
import type { Channels } from './channels/service.ts';
import type { Rules } from './rules/service.ts';
import type { Notifications } from './service.ts';

export const notificationRoutes = (
  channels: Channels,
  rules: Rules,
  notifications: Notifications,
): Handlers<keyof typeof notificationEndpoints> => ({
  'notifications.channels': async ({ principal, query }) => ({
    success: true,
    ...(await channels.list(principal, query)),
  }),
  'notifications.createChannel': async ({ principal, body, write }) => {
    await channels.check(body);
    return write(async (tx) => ({ success: true, data: await channels.create(tx, principal, body) }));
  },
  'notifications.readChannel': async ({ principal, params }) => ({
    success: true,
    data: await channels.read(principal, params.id),
  }),
  'notifications.updateChannel': async ({ principal, params, body, write }) => {
    await channels.read(principal, params.id);
    await channels.check(body);
    return write(async (tx) => ({ success: true, data: await channels.update(tx, principal, params.id, body) }));
  },
  'notifications.deleteChannel': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await channels.remove(tx, principal, params.id) })),
  'notifications.testChannel': async ({ principal, params }) => ({
    success: true,
    data: await channels.test(principal, params.id),
  }),
  'notifications.rules': async ({ principal, query }) => ({ success: true, ...(await rules.list(principal, query)) }),
  'notifications.createRule': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await rules.create(tx, principal, body) })),
  'notifications.readRule': async ({ principal, params }) => ({
    success: true,
    data: await rules.read(principal, params.id),
  }),
  'notifications.updateRule': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await rules.update(tx, principal, params.id, body) })),
  'notifications.deleteRule': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await rules.remove(tx, principal, params.id) })),
  'notifications.alerts': async ({ principal, query }) => ({
    success: true,
    ...(await notifications.alerts(principal, { status: query.status }, query)),
  }),
  'notifications.readAlert': async ({ principal, params }) => ({
    success: true,
    data: await notifications.alert(principal, params.id),
  }),
  'notifications.deliveries': async ({ principal, query }) => ({
    success: true,
    ...(await notifications.deliveries(principal, { channelId: query.channel_id, status: query.status }, query)),
  }),
  'notifications.redeliver': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await notifications.redeliver(tx, principal, params.id) })),
});
