import { builtIn } from '@hortus/contract/actions/built-in-actions';
import Type from 'typebox';
import { changeTool } from '../change-tool.ts';
import { lastExecution } from '../last-order.ts';
import { findDefinition, findInstance, isId } from '../lookup.ts';
import { Refusal } from '../tool.ts';
import { instanceField } from './instances.ts';
import { ordered } from './ordered.ts';

export const restoreBackup = changeTool({
  name: 'restore_backup',
  title: 'Restore a backup',
  description:
    'Replace the data of an application by a backup. The plan says what stops and where a dump is read. A person must confirm it.',
  kind: 'danger',
  input: Type.Object({
    backup_id: Type.String({ minLength: 1, maxLength: 128, description: 'bkp_…, see show_instance.' }),
  }),
  async plan({ service }, { backup_id }) {
    if (!isId('backup', backup_id)) throw new Refusal('backup_id: must be the id of a backup, bkp_…');
    const { data } = await service.call('backups.read', { params: { id: backup_id } });
    const { instance_uid, instance_id, created_at, status, kind } = data;
    const { summary, warnings, into } = (await service.call('backups.planRestore', { params: { id: backup_id } })).data;
    const call = { params: { id: backup_id }, body: { confirm: instance_uid } };
    const effects = [summary, ...warnings].join(' ');
    return {
      text: `replace the data of ${instance_uid} by the ${kind} backup ${backup_id} of ${created_at}; the present data is backed up first. ${effects}`,
      state: {
        id: backup_id,
        status,
        instance_uid,
        into,
        last: await lastExecution(service, instance_id, builtIn.restore),
      },
      danger: {
        subject: instance_uid,
        question: `Replace the data of ${instance_uid} by its backup of ${created_at}? ${effects}`,
        call: { endpoint: 'backups.restore', ...call },
      },
      async carryOut(idempotencyKey) {
        const { execution } = await service.call('backups.restore', { ...call, idempotencyKey });
        return ordered(`Restoring ${instance_uid}.`, execution.id);
      },
    };
  },
});

export const releaseInstance = changeTool({
  name: 'release_instance',
  title: 'Release an instance',
  description: 'Remove the containers of an application, and with remove_volumes its data. A person must confirm it.',
  kind: 'danger',
  input: Type.Object({
    ...instanceField,
    remove_volumes: Type.Optional(Type.Boolean({ description: 'Delete its volumes and their data.' })),
  }),
  async plan({ service }, { instance, remove_volumes = false }) {
    const { id, instance_uid, status, revision, started_at, components } = await findInstance(service, instance);
    const { backup } = await service.call('actions.list', { params: { id } });
    const confirm = backup.volumes.filter(({ critical }) => critical).map(({ name }) => name);
    const volumes = backup.volumes.map(({ name }) => name).join(', ') || 'none';
    const call = { params: { id }, body: remove_volumes ? { remove_volumes, confirm } : {} };
    const decision = remove_volumes ? `deletes its volumes (${volumes}) and all data in them` : 'keeps its volumes';
    return {
      text: `release ${instance_uid}: removes its ${Math.max(1, components.length)} containers and ${decision}`,
      state: { id, status, revision, started_at, volumes: backup.volumes },
      danger: {
        subject: instance_uid,
        question: `Release ${instance_uid}? This removes its containers and ${decision}.`,
        call: { endpoint: 'instances.release', ...call },
      },
      async carryOut() {
        const { execution } = await service.call('instances.release', call);
        return ordered(`Releasing ${instance_uid}.`, execution.id);
      },
    };
  },
});

export const archiveInstance = changeTool({
  name: 'archive_instance',
  title: 'Archive an instance',
  description: 'Archive an application: its containers are removed, its volumes stay. A person must confirm it.',
  kind: 'danger',
  input: Type.Object(instanceField),
  async plan({ service }, { instance }) {
    const { id, instance_uid, status, current_revision, updated_at } = await findDefinition(service, instance);
    const params = { id };
    return {
      text: `archive ${instance_uid}: cancels its deployments and removes its containers; its volumes stay`,
      state: { id, status, current_revision, updated_at },
      danger: {
        subject: instance_uid,
        question: `Archive ${instance_uid} and remove its containers?`,
        call: { endpoint: 'definitions.archive', params },
      },
      async carryOut() {
        await service.call('definitions.archive', { params });
        return `Archived ${instance_uid} (${id}).`;
      },
    };
  },
});
