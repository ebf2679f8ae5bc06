import { grantablePermissions } from '@hortus/contract/permissions';
import { type Invite, roles } from '@hortus/contract/resources/members';
import type { User } from '@hortus/contract/resources/sign-in';
import { chosen } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printDone, printList } from '../command-line/printing.ts';
import { findListed } from '../lookup/listed.ts';
import { confirmByName } from '../orders/asking.ts';
import { status } from '../output/status.ts';
import { ago } from '../output/words.ts';

export const membersList = command({
  name: 'members list',
  summary: 'List the users of the account',
  examples: [['hortus members list', 'Owners and members.']],
  calls: ['members.list'],
  async run(call) {
    const rows = await Array.fromAsync((await call.client()).pages('members.list'));
    const columns = [
      { title: 'Email', text: ({ email }: User) => email },
      { title: 'Role', text: ({ role }: User) => role },
      { title: 'Since', text: ({ created_at }: User) => ago(created_at, call.world.now()) },
      { title: 'Id', text: ({ id }: User) => id },
    ];
    return printList(call, rows, columns, 'The account has no users. Invite one with hortus members invite <email>');
  },
});

export const membersRemove = command({
  name: 'members remove',
  summary: 'Remove a user and revoke the keys the user created',
  args: ['email'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus members remove fern@example.org', 'Asks you to type the address.']],
  calls: ['members.list', 'members.remove'],
  async run(call) {
    const client = await call.client();
    const user = await findListed(client.pages('members.list'), 'member', call.args.email, ({ email }: User) => [
      email,
    ]);
    await confirmByName(
      call.world,
      `${user.email} can no longer sign in, and the keys of this user are revoked.`,
      user.email,
      call.options.yes,
    );
    const { data } = await client.call('members.remove', { params: { id: user.id } });
    return printDone(call, data, `${data.email} is removed.`);
  },
});

export const membersGrant = command({
  name: 'members grant',
  summary: 'Set the permissions of a member beyond those of the role',
  about: 'Replaces those granted before; without --allow, the member has only those of the role.',
  args: ['email'],
  options: {
    allow: {
      type: 'string',
      value: 'permission',
      multiple: true,
      about: `Permission to grant: ${grantablePermissions.join(' or ')}.`,
    },
  },
  examples: [
    ['hortus members grant fern@example.org --allow instances:shell', 'The member may open shells in containers.'],
    ['hortus members grant fern@example.org', 'Withdraws what was granted.'],
  ],
  calls: ['members.list', 'members.grant'],
  async run(call) {
    const client = await call.client();
    const permissions = call.options.allow.map(
      (word) => chosen('allow', word, grantablePermissions) as (typeof grantablePermissions)[number],
    );
    const user = await findListed(client.pages('members.list'), 'member', call.args.email, ({ email }: User) => [
      email,
    ]);
    const { data } = await client.call('members.grant', { params: { id: user.id }, body: { permissions } });
    const granted = data.granted_permissions.join(', ') || 'nothing beyond the role';
    return printDone(call, data, `${data.email} is granted ${granted}.`);
  },
});

export const membersInvite = command({
  name: 'members invite',
  summary: 'Invite a user and print the invitation link',
  args: ['email'],
  options: { role: { type: 'string', value: 'role', about: `${roles.join(' or ')}; default member.` } },
  examples: [
    ['hortus members invite fern@example.org', 'Pass the link on yourself unless the installation has a mail server.'],
  ],
  calls: ['members.invite'],
  async run(call) {
    const role = chosen('role', call.options.role, roles);
    const body = { email: call.args.email, ...(role ? { role } : {}) };
    const { data } = await (await call.client()).call('members.invite', { body });
    return printDone(
      call,
      data,
      `${data.email} is invited as ${data.role}. The link, shown this once:\n${data.accept_url}`,
    );
  },
});

export const membersInvites = command({
  name: 'members invites',
  summary: 'List the invites',
  examples: [['hortus members invites', 'Open invites and their expiry.']],
  calls: ['members.invites'],
  async run(call) {
    const rows = await Array.fromAsync((await call.client()).pages('members.invites'));
    const columns = [
      { title: 'Email', text: ({ email }: Invite) => email },
      { title: 'Role', text: ({ role }: Invite) => role },
      { title: 'Status', painted: (invite: Invite) => status(call.world.terminal, invite.status) },
      { title: 'Until', text: ({ expires_at }: Invite) => expires_at },
      { title: 'Id', text: ({ id }: Invite) => id },
    ];
    return printList(call, rows, columns, 'No invites.');
  },
});
