import type { Client } from '@hortus/client/client';
import type { Tenant } from '@hortus/contract/resources/tenants';
import { command } from '../command-line/command.ts';
import { printDone, printList } from '../command-line/printing.ts';
import { findListed } from '../lookup/listed.ts';
import { findServer, serverNames } from '../lookup/servers.ts';
import { confirmByName } from '../orders/asking.ts';
import { status } from '../output/status.ts';
import { ago, count } from '../output/words.ts';

const find = (client: Client, input: string): Promise<Tenant> =>
  findListed(client.pages('tenants.list'), 'tenant', input, ({ slug, name }: Tenant) => [slug, name]);

export const tenantsList = command({
  name: 'tenants list',
  summary: 'List the tenants',
  examples: [['hortus tenants list', 'With the number of running instances.']],
  calls: ['tenants.list', 'servers.list'],
  async run(call) {
    const client = await call.client();
    const rows = await Array.fromAsync(client.pages('tenants.list'));
    const serverName = await serverNames(client);
    const { terminal, now } = call.world;
    const columns = [
      { title: 'Tenant', text: ({ slug }: Tenant) => slug },
      { title: 'Name', text: ({ name }: Tenant) => name },
      { title: 'Status', painted: (tenant: Tenant) => status(terminal, tenant.status) },
      { title: 'Server', text: ({ server_id }: Tenant) => serverName(server_id) },
      {
        title: 'Running',
        text: ({ running_count, instances_count }: Tenant) => `${running_count} of ${instances_count}`,
      },
      { title: 'Since', text: ({ created_at }: Tenant) => ago(created_at, now()) },
      { title: 'Id', text: ({ id }: Tenant) => id },
    ];
    return printList(call, rows, columns, 'No tenants yet. Create one with hortus tenants create <name>');
  },
});

export const tenantsCreate = command({
  name: 'tenants create',
  summary: 'Create a tenant; its definitions run on one server',
  args: ['name'],
  options: {
    server: { type: 'string', value: 'server', about: 'Server of its definitions.' },
    slug: { type: 'string', value: 'slug', about: 'Short name for commands; default is derived from the name.' },
  },
  examples: [["hortus tenants create 'Rose Nursery' --server web-1", 'Assign definitions with tenant_id.']],
  calls: ['tenants.create', 'servers.list', 'servers.read'],
  async run(call) {
    const { args, options } = call;
    const client = await call.client();
    const server = await findServer(client, options.server ?? '');
    const body = { name: args.name, server_id: server.id, ...(options.slug ? { slug: options.slug } : {}) };
    const { data } = await client.call('tenants.create', { body });
    return printDone(call, data, `${data.name} was created as tenant ${data.slug} on ${server.name} (${data.id}).`);
  },
});

export const tenantsSuspend = command({
  name: 'tenants suspend',
  summary: 'Suspend a tenant: stop its instances and refuse deployments',
  args: ['tenant'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus tenants suspend rose-nursery', 'Asks you to type the name.']],
  calls: ['tenants.list', 'tenants.suspend'],
  async run(call) {
    const client = await call.client();
    const tenant = await find(client, call.args.tenant);
    const what = `Suspending ${tenant.slug} stops ${count(tenant.running_count, 'instance')}.`;
    await confirmByName(call.world, what, tenant.slug, call.options.yes);
    const { data } = await client.call('tenants.suspend', { params: { id: tenant.id } });
    return printDone(call, data, `${data.slug} is ${data.status}. Undo it with hortus tenants resume ${data.slug}`);
  },
});

export const tenantsResume = command({
  name: 'tenants resume',
  summary: 'Resume a suspended tenant',
  args: ['tenant'],
  examples: [['hortus tenants resume rose-nursery', 'Instances stopped before the suspension stay stopped.']],
  calls: ['tenants.list', 'tenants.resume'],
  async run(call) {
    const client = await call.client();
    const { id } = await find(client, call.args.tenant);
    const { data } = await client.call('tenants.resume', { params: { id } });
    return printDone(call, data, `${data.slug} is ${data.status}.`);
  },
});

export const tenantsDelete = command({
  name: 'tenants delete',
  summary: 'Delete an empty tenant, or with --force its definitions too',
  args: ['tenant'],
  options: {
    force: { type: 'boolean', about: 'Archive its definitions: remove containers, keep volumes.' },
    yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' },
  },
  examples: [['hortus tenants delete rose-nursery --force', 'Asks you to type the name.']],
  calls: ['tenants.list', 'tenants.delete'],
  async run(call) {
    const client = await call.client();
    const tenant = await find(client, call.args.tenant);
    const { force, yes } = call.options;
    const what = `Deleting ${tenant.slug}${force ? ` archives ${count(tenant.definitions_count, 'definition')}` : ''}.`;
    await confirmByName(call.world, what, tenant.slug, yes);
    const { data } = await client.call('tenants.delete', { params: { id: tenant.id }, query: { force } });
    return printDone(call, data, `${data.slug} is deleted.`);
  },
});
