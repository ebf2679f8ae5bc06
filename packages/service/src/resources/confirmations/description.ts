import type { ResponseOf } from '@hortus/contract/endpoint';
import type { EndpointName, Endpoints } from '@hortus/contract/endpoints';
import type { Confirmable } from '@hortus/contract/resources/confirmations';
import type { InnerCaller, InnerParts, Invoke } from '../../http/invoke.ts';
import { invalid, Problem } from '../../problem.ts';

export interface ConfirmableCall {
  readonly endpoint: Confirmable;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Description {
  readonly title: string;
  readonly subject: string;
}

/**
 * Writes what a call does, for the person who confirms it. The words come from here and never from the requester, who could
 * call the removal of a database a restart. Reads as the requester, who must see what it asks for.
 */
export async function describeCall(invoke: Invoke, caller: InnerCaller, call: ConfirmableCall): Promise<Description> {
  const { params, query, body } = call;
  const read: Read = (name, parts) => invoke(name, caller, parts);
  try {
    switch (call.endpoint) {
      case 'definitions.archive': {
        const { instance_uid } = (await read('definitions.read', { params: { id: params.id } })).data;
        const decision = query.container === 'keep' ? 'keep its containers' : 'remove its containers';
        return { title: `Archive ${instance_uid} and ${decision}`, subject: instance_uid };
      }
      case 'instances.release': {
        const { instance_uid } = (await read('instances.read', { params: { id: params.id } })).data;
        const decision = body.remove_volumes === true ? 'delete its volumes with all data' : 'keep its volumes';
        return { title: `Remove the containers of ${instance_uid} and ${decision}`, subject: instance_uid };
      }
      case 'backups.restore': {
        const { instance_uid, created_at } = (await read('backups.read', { params: { id: params.id } })).data;
        const plan = { params: { id: params.id }, query: body.into === undefined ? {} : { into: body.into } };
        const { summary } = (await read('backups.planRestore', plan)).data;
        const title = `Replace the data of ${instance_uid} by its backup of ${created_at}. ${summary}`;
        return { title, subject: instance_uid };
      }
      case 'deployments.rollback': {
        const { definition_id, revision } = (await read('deployments.read', { params: { id: params.id } })).data;
        const { instance_uid } = (await read('definitions.read', { params: { id: definition_id } })).data;
        const data = body.with_data === true ? ' and replace its data by the backup made before' : '';
        return {
          title: `Undo the deployment of revision ${revision} of ${instance_uid}${data}`,
          subject: instance_uid,
        };
      }
      case 'actions.execute':
        return await describeAction(read, call);
    }
  } catch (error) {
    if (error instanceof Problem && error.code === 'NOT_FOUND') throw invalid('params.id', 'there is no such record.');
    throw error;
  }
}

type Read = <Name extends EndpointName>(name: Name, parts: InnerParts) => Promise<ResponseOf<Endpoints[Name]>>;

async function describeAction(read: Read, { params, body }: ConfirmableCall): Promise<Description> {
  const { instance_uid } = (await read('instances.read', { params: { id: params.id } })).data;
  const { actions } = await read('actions.list', { params: { id: params.id } });
  const action = actions.find(({ slug }) => slug === params.slug);
  if (!action) throw invalid('params.slug', `${instance_uid} has no such action.`);
  const input = Object.keys((body.params ?? {}) as object);
  const secret = action.params.find(({ name, type }) => type === 'password' && input.includes(name));
  if (secret) throw invalid(`body.params.${secret.name}`, 'is a password; run this action in the console.');
  return { title: `Run ${action.slug} on ${instance_uid}: ${action.name}`, subject: instance_uid };
}
