import type { Migration } from '@hortus/contract/resources/migrations';
import { command } from '../command-line/command.ts';
import { downtime, followMigration } from '../following/migration.ts';
import { serverNames } from '../lookup/servers.ts';
import { waiting, waitOptions } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { table } from '../output/table.ts';
import { ago, count } from '../output/words.ts';

export const migrationsList = command({
  name: 'migrations list',
  summary: 'List migrations between servers, newest first',
  examples: [['hortus migrations list', 'The last hundred.']],
  calls: ['migrations.list', 'servers.list'],
  async run({ json, client, world: { terminal, now } }) {
    const service = await client();
    const { data } = await service.call('migrations.list', { query: { per_page: 100 } });
    if (json) printJson(terminal, data);
    else if (data.length === 0)
      terminal.out('No migrations yet. Start one with hortus tenants migrate or hortus definitions migrate\n');
    else {
      const serverName = await serverNames(service);
      terminal.out(
        table<Migration>(
          terminal,
          [
            { title: 'Migration', text: ({ id }) => id },
            {
              title: 'What',
              text: (migration) => migration.tenant_id ?? count(migration.definition_ids.length, 'definition'),
            },
            { title: 'From', text: ({ from_server_id }) => serverName(from_server_id) },
            { title: 'To', text: ({ to_server_id }) => serverName(to_server_id) },
            { title: 'Status', text: ({ status }) => status },
            { title: 'Ordered', text: ({ created_at }) => ago(created_at, now()) },
            { title: 'Reason', text: ({ reason }) => reason ?? '' },
          ],
          data,
        ),
      );
    }
    return 'ok';
  },
});

export const migrationsShow = command({
  name: 'migrations show',
  summary: 'Show a migration step by step',
  args: ['migration'],
  options: waitOptions,
  examples: [['hortus migrations show mig_01j9zq3v5t8x2m4n6p7r9s0abc --wait', 'Follows its steps.']],
  calls: ['migrations.read'],
  async run({ args, options, json, client, world }) {
    const { wait, timeout } = waiting(options);
    const service = await client();
    const waitOptions = { timeout: wait ? timeout : 0, unfinished: 'The migration is still running.' };
    const { data: now } = await service.call('migrations.read', { params: { id: args.migration } });
    if (json && !wait) {
      printJson(world.terminal, now);
      return 'ok';
    }
    const end = await followMigration(service, now.id, world, waitOptions, !json);
    if (json) printJson(world.terminal, end);
    else
      world.terminal.out(
        `The migration is ${end.status}. ${end.error ? `${safeLine(end.error)} ` : ''}${downtime(end)}\n`,
      );
    return end.status === 'failed' ? 'failed' : 'ok';
  },
});

export const migrationsCancel = command({
  name: 'migrations cancel',
  summary: 'Cancel a migration and keep everything on the old server',
  args: ['migration'],
  examples: [['hortus migrations cancel mig_01j9zq3v5t8x2m4n6p7r9s0abc', 'Refused after the switch to the target.']],
  calls: ['migrations.cancel'],
  async run({ args, json, client, world: { terminal } }) {
    const service = await client();
    const { data } = await service.call('migrations.cancel', { params: { id: args.migration } });
    if (json) printJson(terminal, data);
    else terminal.out('The migration is being rolled back.\n');
    return 'ok';
  },
});
