import { deploymentMachine } from '@hortus/contract/machines/deployment';
import { choice } from '@hortus/contract/records/fields';
import Type from 'typebox';
import { findDefinition } from '../lookup.ts';
import { listed } from '../text/bounded.ts';
import { deploymentLine } from '../text/records.ts';
import { readTool } from '../tool.ts';

export const listDeployments = readTool({
  name: 'list_deployments',
  title: 'List deployments',
  description: 'List deployments, newest first, of one application or all.',
  input: Type.Object(
    {
      instance: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Uid, name or id.' })),
      status: Type.Optional(choice(deploymentMachine.states, { description: 'Only deployments with this status.' })),
    },
    { additionalProperties: false },
  ),
  async read({ service }, { instance, status }) {
    const definition = instance === undefined ? undefined : await findDefinition(service, instance);
    const { data, pagination } = await service.call('deployments.list', {
      query: { ...(definition && { definition_id: definition.id }), ...(status && { status }), per_page: 20 },
    });
    return listed(data, deploymentLine, { total: pagination.total, none: 'No deployments.' });
  },
});
