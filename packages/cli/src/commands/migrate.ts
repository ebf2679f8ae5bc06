import type { Client } from '@hortus/client/client';
import type { MigrationAnswer, MigrationPlan } from '@hortus/contract/resources/migrations';
import { type Call, command, type ValuesOf } from '../command-line/command.ts';
import type { Exit } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { downtime, followMigration } from '../following/migration.ts';
import { findDefinition } from '../lookup/definitions.ts';
import { findServer } from '../lookup/servers.ts';
import { findTenant } from '../lookup/tenants.ts';
import { agree, waiting, waitOptions } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { count } from '../output/words.ts';

const options = {
  server: { type: 'string', value: 'server', about: 'Target server, by name or id.' },
  'dry-run': { type: 'boolean', about: 'Only show the plan.' },
  'ignore-capacity': { type: 'boolean', about: 'Skip the capacity check of the target.' },
  yes: { type: 'boolean', about: 'Skip the confirmation.' },
  ...waitOptions,
} as const;

const about =
  'Volumes are copied while the instance runs; it stops only for the final copy. After any failure it keeps running on its old server.';

interface Subject {
  readonly name: string;
  /** Requests the migration, or with `dry_run` only its plan. */
  order(body: { server_id: string; dry_run: boolean; ignore_capacity: boolean }): Promise<MigrationAnswer>;
}

async function migrate(call: Call<ValuesOf<typeof options>>, service: Client, subject: Subject): Promise<Exit> {
  const { json, world } = call;
  const { terminal } = world;
  const { wait, timeout } = waiting(call.options);
  if (call.options.server === undefined) throw new Failure('usage', 'Name the target with --server.');
  const target = await findServer(service, call.options.server);
  const body = { server_id: target.id, ignore_capacity: call.options['ignore-capacity'] };
  if (call.options['dry-run'] || terminal.interactive) {
    const { plan } = await subject.order({ ...body, dry_run: true });
    if (json && call.options['dry-run']) printJson(terminal, plan);
    else if (!json) terminal.out(planText(subject.name, target.name, plan));
    if (plan.blockers.length > 0) return 'refused';
    if (call.options['dry-run']) return 'ok';
    if (!(await agree(world, `Move ${subject.name} to ${target.name}?`, call.options.yes))) return 'ok';
  }
  const { migration } = await subject.order({ ...body, dry_run: false });
  if (migration === null) throw new Error('The service returned no migration.');
  const hint = `hortus migrations show ${migration.id}`;
  if (!wait) {
    if (json) printJson(terminal, migration);
    else terminal.out(`${subject.name} is being migrated to ${target.name}. ${hint} shows its progress.\n`);
    return 'ok';
  }
  world.leaving(`The migration continues. ${hint} shows its progress.`);
  const unfinished = `The migration of ${subject.name} has not finished yet. ${hint} shows its progress.`;
  const end = await followMigration(service, migration.id, world, { timeout, unfinished }, !json);
  if (json) printJson(terminal, end);
  else if (end.status === 'failed')
    terminal.note(`${safeLine(end.error ?? '')} ${subject.name} still runs on its old server. ${downtime(end)}\n`);
  else terminal.out(`${subject.name} now runs on ${target.name}. ${downtime(end)}\n`);
  return end.status === 'failed' ? 'failed' : 'ok';
}

function planText(name: string, target: string, plan: MigrationPlan): string {
  const volumes = plan.definitions.reduce((sum, definition) => sum + definition.volumes.length, 0);
  const addresses = plan.definitions.flatMap((definition) => definition.addresses);
  const lines = [
    `${name} to ${target}: ${count(plan.definitions.length, 'definition')}, ${count(volumes, 'volume')}.`,
    ...(addresses.length > 0
      ? [`Update the DNS of these names to ${target} afterwards: ${addresses.join(', ')}.`]
      : []),
    ...plan.warnings.map(({ message }) => `Note: ${safeLine(message)}`),
    ...plan.blockers.map(({ message }) => `Not possible: ${safeLine(message)}`),
  ];
  return `${lines.join('\n')}\n`;
}

export const tenantsMigrate = command({
  name: 'tenants migrate',
  summary: 'Move a tenant with all its data to another server',
  about,
  args: ['tenant'],
  options,
  examples: [
    ['hortus tenants migrate rose-nursery --server web-2 --dry-run', 'The plan, and what blocks it.'],
    ['hortus tenants migrate rose-nursery --server web-2 --yes --wait', 'Moves it and shows every step.'],
  ],
  calls: ['tenants.list', 'tenants.migrate', 'servers.list', 'migrations.read'],
  async run(call) {
    const service = await call.client();
    const { id, name } = await findTenant(service, call.args.tenant);
    const order = async (body: Parameters<Subject['order']>[0]) =>
      (await service.call('tenants.migrate', { params: { id }, body })).data;
    return await migrate(call, service, { name, order });
  },
});

export const definitionsMigrate = command({
  name: 'definitions migrate',
  summary: 'Move a definition with its data to another server',
  about,
  args: ['definition'],
  options,
  examples: [['hortus definitions migrate miniflux --server web-2 --wait', 'Moves it and shows every step.']],
  calls: ['definitions.list', 'definitions.migrate', 'servers.list', 'migrations.read'],
  async run(call) {
    const service = await call.client();
    const { id, name } = await findDefinition(service, call.args.definition);
    const order = async (body: Parameters<Subject['order']>[0]) =>
      (await service.call('definitions.migrate', { params: { id }, body })).data;
    return await migrate(call, service, { name, order });
  },
});
