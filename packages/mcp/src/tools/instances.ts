import { instanceHealthMachine, instanceMachine } from '@hortus/contract/machines/instance';
import { choice } from '@hortus/contract/records/fields';
import type { InstanceOverview } from '@hortus/contract/resources/overview';
import Type from 'typebox';
import { findInstance } from '../lookup.ts';
import { isProblem, type Service } from '../service.ts';
import { facts, listed, paragraphs } from '../text/bounded.ts';
import { deploymentLine, instanceLine } from '../text/records.ts';
import { cited, oneLine, quoted } from '../text/untrusted.ts';
import { readTool } from '../tool.ts';
import { readLines } from './logs.ts';

export const instanceField = {
  instance: Type.String({ minLength: 1, maxLength: 128, description: 'Uid, name or id of the instance.' }),
};

export const listInstances = readTool({
  name: 'list_instances',
  title: 'List instances',
  description: 'List the deployed applications with status and health; those that need attention first.',
  input: Type.Object(
    {
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Part of a name.' })),
      status: Type.Optional(choice(instanceMachine.states, { description: 'Only instances with this status.' })),
      health: Type.Optional(choice(instanceHealthMachine.states, { description: 'Only instances with this health.' })),
    },
    { additionalProperties: false },
  ),
  async read({ service }, { search, status, health }) {
    const { data, pagination } = await service.call('instances.list', {
      query: {
        ...(search && { q: search }),
        ...(status && { status }),
        ...(health && { health }),
        sort: 'status',
        per_page: 50,
      },
    });
    return listed(data, instanceLine, { total: pagination.total, none: 'No instance matches.' });
  },
});

/** Lines of a log that show why something is unhealthy. */
const LAST_LINES = 20;

export const showInstance = readTool({
  name: 'show_instance',
  title: 'Show an instance',
  description:
    'Show one application: health of its components, drift, last failure, last log lines, deployments, backups, actions. Start here when something is unhealthy.',
  input: Type.Object(instanceField, { additionalProperties: false }),
  async read({ service }, args) {
    const { id } = await findInstance(service, args.instance);
    const { data } = await service.call('overview.instance', { params: { id } });
    return paragraphs(
      `${instanceLine(data.instance)}, revision ${data.instance.revision ?? 'none'}, on ${data.server ? oneLine(data.server.name, 60) : data.instance.server_id}`,
      `Components:\n${listed(data.instance.components, (item) => `- ${facts(item.name, `${item.status}/${item.health}`, item.image && oneLine(item.image, 120))}`)}`,
      data.instance.drift.length > 0 &&
        `Drift:\n${listed(data.instance.drift, ({ field, component }) => `- ${facts(oneLine(field, 80), component)}`, { max: 10 })}`,
      data.deployments &&
        `Deployments:\n${listed(data.deployments.data, (item) => `- ${deploymentLine(item)}`, { max: 5, total: data.deployments.total })}`,
      await lastFailure(service, data),
      await logTail(service, id),
      otherRecords(data),
    );
  },
});

/** Explains the newest deployment if it failed, with the last lines of the container that died. */
async function lastFailure(service: Service, { deployments }: InstanceOverview): Promise<string | undefined> {
  const newest = deployments?.data.find(({ status }) => status === 'failed' || status === 'success');
  if (newest?.status !== 'failed') return undefined;
  const { data } = await service.call('deployments.read', { params: { id: newest.id } });
  const lines = data.last_lines.slice(-LAST_LINES);
  return paragraphs(
    `Last failure: ${data.id}, ${facts(data.reason, data.error && `error ${cited(data.error)}`)}`,
    lines.length > 0 && quoted('Last lines of the container that failed', lines),
  );
}

/** A log needs its own permission and a connected server; without them the rest is still useful. */
async function logTail(service: Service, id: string): Promise<string> {
  try {
    return await readLines(service, id, { tail: LAST_LINES });
  } catch (error) {
    if (!isProblem(error)) throw error;
    return `Log: ${oneLine(error.message)}`;
  }
}

function otherRecords({ actions, backups, executions }: InstanceOverview): string {
  return paragraphs(
    actions &&
      actions.length > 0 &&
      `Actions: ${actions.map(({ slug, dangerous }) => `${slug}${dangerous ? ' (dangerous)' : ''}`).join(', ')}`,
    backups &&
      `Backups:\n${listed(backups.data, (item) => `- ${facts(item.id, item.kind, item.status, item.created_at)}`, { max: 5, total: backups.total })}`,
    executions &&
      executions.data.length > 0 &&
      `Executions:\n${listed(executions.data, (item) => `- ${facts(item.id, item.slug, item.status)}`, { max: 5, total: executions.total })}`,
  );
}
