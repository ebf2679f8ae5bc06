import type { ListedAction } from '@hortus/contract/resources/actions';
import { InputValue } from '@hortus/contract/resources/definition-records';
import { inputName } from '@hortus/contract/resources/definitions';
import Type from 'typebox';
import { changeTool } from '../change-tool.ts';
import { lastExecution } from '../last-order.ts';
import { findInstance } from '../lookup.ts';
import { facts } from '../text/bounded.ts';
import { cited, oneLine } from '../text/untrusted.ts';
import { Refusal } from '../tool.ts';
import { instanceField } from './instances.ts';
import { ordered } from './ordered.ts';

export const runAction = changeTool({
  name: 'run_action',
  // Some actions are dangerous; which, only the plan can tell.
  destructive: true,
  title: 'Run an action',
  description:
    'Run an action that the template of an application declares, such as a dump; show_instance lists them. A dangerous one must be confirmed by a person.',
  input: Type.Object({
    ...instanceField,
    action: Type.String({ minLength: 1, maxLength: 128, description: 'Slug of the action.' }),
    params: Type.Optional(
      Type.Record(inputName, InputValue, {
        maxProperties: 100,
        additionalProperties: false,
        description: 'Values by parameter name; see show_instance.',
      }),
    ),
  }),
  async plan({ service }, { instance, action: slug, params = {} }) {
    const { id, instance_uid, revision } = await findInstance(service, instance);
    const { actions } = await service.call('actions.list', { params: { id } });
    const action = actions.find((action) => action.slug === slug);
    if (action === undefined) {
      const known = actions.map((action) => action.slug).join(', ') || 'none';
      throw new Refusal(`action: ${instance_uid} has no action ${oneLine(slug, 60)}; it has: ${known}.`);
    }
    const call = { params: { id, slug }, body: { params } };
    return {
      text: facts(
        `run ${slug} on ${instance_uid}: ${cited(action.description || action.name)}`,
        action.dangerous && 'dangerous',
        `timeout ${action.timeout}`,
        `params: ${Object.keys(params).join(' ') || 'none'}`,
      ),
      state: { id, revision, action, last: await lastExecution(service, id, slug) },
      danger: action.dangerous
        ? {
            subject: instance_uid,
            question: `Run the dangerous action ${slug} on ${instance_uid}${withValues(action, params)}?`,
            call: { endpoint: 'actions.execute', ...call },
          }
        : undefined,
      async carryOut(idempotencyKey) {
        const { execution } = await service.call('actions.execute', { ...call, idempotencyKey });
        return ordered(`Running ${slug} on ${instance_uid}.`, execution.id);
      },
    };
  },
});

/** The person must see what is passed; passwords stay hidden. */
function withValues(action: ListedAction, params: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(params).map(([name, value]) => {
    const isPassword = action.params.find((param) => param.name === name)?.type === 'password';
    return `${name} = ${isPassword ? '***' : oneLine(JSON.stringify(value), 200)}`;
  });
  return shown.length === 0 ? '' : ` with ${shown.join(', ')}`;
}
