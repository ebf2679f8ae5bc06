import type { Deployment } from '@hortus/contract/resources/deployment-records';
import Type from 'typebox';
import { changeTool } from '../change-tool.ts';
import { lastDeployment } from '../last-order.ts';
import { findDefinition } from '../lookup.ts';
import { planText } from '../text/records.ts';
import { Refusal } from '../tool.ts';
import { instanceField } from './instances.ts';
import { ordered } from './ordered.ts';

export const deploy = changeTool({
  name: 'deploy',
  title: 'Deploy',
  description: 'Deploy the current revision of an existing application, after change_settings or to repair it.',
  input: Type.Object({
    ...instanceField,
    pull: Type.Optional(Type.Boolean({ description: 'Pull every image again.' })),
    backup_first: Type.Optional(Type.Boolean({ description: 'Make the declared backup before.' })),
  }),
  async plan({ service }, { instance, ...options }) {
    const { id, instance_uid } = await findDefinition(service, instance);
    const { data: plan } = await service.call('deployments.plan', { params: { id } });
    const from = plan.deployed_revision === null ? 'for the first time' : `over revision ${plan.deployed_revision}`;
    return {
      text: `deploy revision ${plan.revision} of ${instance_uid} ${from}\n${planText(plan)}`,
      state: { plan: plan.plan_hash, last: await lastDeployment(service, id) },
      async carryOut(idempotencyKey) {
        const body = { ...options, definition_id: id, plan_hash: plan.plan_hash };
        const { data } = await service.call('deployments.execute', { body, idempotencyKey });
        return ordered(`Deploying ${instance_uid}.`, data.id);
      },
    };
  },
});

export const rollBack = changeTool({
  name: 'roll_back',
  // With its data it replaces what was written since.
  destructive: true,
  title: 'Roll back',
  description:
    'Undo the newest deployment of an application: deploy the last successful revision before it. Data stays unless with_data.',
  input: Type.Object({
    ...instanceField,
    with_data: Type.Optional(
      Type.Boolean({ description: 'Restore the backup made before it; a person must confirm.' }),
    ),
  }),
  async plan({ service }, { instance, with_data = false }) {
    const { id, instance_uid } = await findDefinition(service, instance);
    const { data } = await service.call('deployments.list', { query: { definition_id: id, per_page: 50 } });
    const [newest, ...older] = data;
    if (newest === undefined) throw new Refusal(`instance: ${instance_uid} was never deployed.`);
    if (newest.status === 'pending' || newest.status === 'running')
      throw new Refusal(`instance: ${newest.id} is ${newest.status}; wait for it with show_progress, or cancel it.`);
    const target = targetOf(newest, older);
    if (target === undefined)
      throw new Refusal(`instance: ${instance_uid} has no successful deployment to go back to.`);
    const params = { id: newest.id };
    const body = { with_data };
    const text = `undo ${newest.id} of ${instance_uid} (revision ${newest.revision}, ${newest.status}): deploy revision ${target} again`;
    return {
      text: with_data ? `${text} and replace its data by the backup made before` : text,
      state: { id: newest.id, status: newest.status, target },
      danger: with_data
        ? {
            subject: instance_uid,
            question: `Roll ${instance_uid} back to revision ${target} and replace its data by an older backup?`,
            call: { endpoint: 'deployments.rollback', params, body },
          }
        : undefined,
      async carryOut(idempotencyKey) {
        const { data: made } = await service.call('deployments.rollback', { params, body, idempotencyKey });
        return ordered(`Rolling ${instance_uid} back to revision ${made.revision}.`, made.id);
      },
    };
  },
});

/** Returns the revision of the last success before a deployment, and for a failed one also the same revision. */
function targetOf(newest: Deployment, older: readonly Deployment[]): number | undefined {
  const successes = older.filter(({ status }) => status === 'success');
  if (newest.status === 'failed') return successes[0]?.revision;
  return successes.find(({ revision }) => revision !== newest.revision)?.revision;
}
