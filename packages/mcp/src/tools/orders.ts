import { builtIn } from '@hortus/contract/actions/built-in-actions';
import Type from 'typebox';
import { changeTool } from '../change-tool.ts';
import { lastExecution } from '../last-order.ts';
import { findInstance, isId } from '../lookup.ts';
import type { Service } from '../service.ts';
import { deploymentLine } from '../text/records.ts';
import { Refusal, type Tool } from '../tool.ts';
import { instanceField } from './instances.ts';
import { ordered } from './ordered.ts';

const orders = {
  start: { title: 'Start an instance', does: 'Start a stopped application.', endpoint: 'instances.start' },
  stop: {
    title: 'Stop an instance',
    does: 'Stop the containers of an application; it is not reachable until started.',
    endpoint: 'instances.stop',
  },
  restart: {
    title: 'Restart an instance',
    does: 'Restart the containers of an application, with a short downtime.',
    endpoint: 'instances.restart',
  },
} as const;

const order = (verb: keyof typeof orders): Tool =>
  changeTool({
    name: `${verb}_instance`,
    title: orders[verb].title,
    description: orders[verb].does,
    input: Type.Object(instanceField),
    async plan({ service }, args) {
      const { id, instance_uid, status, revision, started_at } = await findInstance(service, args.instance);
      return {
        text: `${verb} ${instance_uid}, which is ${status}`,
        state: { id, status, revision, started_at },
        async carryOut() {
          const { execution } = await service.call(orders[verb].endpoint, { params: { id } });
          return ordered(`${orders[verb].title}: ${instance_uid}.`, execution.id);
        },
      };
    },
  });

export const startInstance = order('start');
export const stopInstance = order('stop');
export const restartInstance = order('restart');

export const backUp = changeTool({
  name: 'back_up',
  title: 'Back up',
  description: 'Back up the data of an application as its template declares.',
  input: Type.Object(instanceField),
  async plan({ service }, args) {
    const { id, instance_uid, status } = await findInstance(service, args.instance);
    const { backup } = await service.call('actions.list', { params: { id } });
    if (backup.strategy === 'none') throw new Refusal(`instance: the template of ${instance_uid} declares no backup.`);
    return {
      text: `back up ${instance_uid} (${backup.strategy}; volumes: ${backup.volumes.map(({ name }) => name).join(', ') || 'none'})`,
      state: { id, status, backup, last: await lastExecution(service, id, builtIn.backup) },
      async carryOut(idempotencyKey) {
        const made = await service.call('backups.create', { params: { id }, body: {}, idempotencyKey });
        return ordered(`Backup ${made.backup.id} of ${instance_uid}.`, made.execution.id);
      },
    };
  },
});

export const cancel = changeTool({
  name: 'cancel',
  title: 'Cancel',
  description: 'Cancel a deployment (dep_…) or an execution (exe_…) that has not finished.',
  input: Type.Object({ id: Type.String({ minLength: 1, maxLength: 128, description: 'dep_… or exe_….' }) }),
  async plan({ service }, { id }) {
    const { text, status } = await running(service, id);
    return {
      text: `cancel ${text}`,
      state: { id, status },
      async carryOut() {
        if (isId('deployment', id)) await service.call('deployments.cancel', { params: { id } });
        else await service.call('actions.cancel', { params: { execution_id: id } });
        return ordered('Cancellation requested.', id);
      },
    };
  },
});

async function running(service: Service, id: string): Promise<{ text: string; status: string }> {
  if (isId('deployment', id)) {
    const { data } = await service.call('deployments.read', { params: { id } });
    return { text: deploymentLine(data), status: data.status };
  }
  if (!isId('execution', id)) throw new Refusal('id: must be the id of a deployment or an execution.');
  const { data } = await service.call('actions.read', { params: { execution_id: id } });
  return { text: `${data.id} ${data.slug}, ${data.status}`, status: data.status };
}
