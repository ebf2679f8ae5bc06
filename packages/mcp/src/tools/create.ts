import { namePattern } from '@hortus/contract/records/fields';
import { inputValues } from '@hortus/contract/resources/definitions';
import Type from 'typebox';
import { changeTool } from '../change-tool.ts';
import { findServer } from '../lookup.ts';
import { isProblem, type Service } from '../service.ts';
import { listed } from '../text/bounded.ts';
import { planText } from '../text/records.ts';
import { oneLine } from '../text/untrusted.ts';
import { Refusal } from '../tool.ts';
import { ordered } from './ordered.ts';

export const createInstance = changeTool({
  name: 'create_instance',
  title: 'Create an instance',
  description: 'Deploy a new application from the catalog.',
  input: Type.Object({
    species: Type.String({ minLength: 1, maxLength: 64, description: 'Species of the catalog; see search_catalog.' }),
    name: Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: namePattern,
      description: 'Uid: letters, digits, _ and -.',
    }),
    server: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Name or id; needed if there are several.' }),
    ),
    inputs: Type.Optional(inputValues('Values by input name; see show_species.')),
    profile: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Profile; see show_species.' })),
    variant: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Variant; see show_species.' })),
  }),
  async plan({ service }, { name, server: wanted, ...rest }) {
    const server = await findServer(service, wanted);
    const body = { ...rest, inputs: rest.inputs ?? {}, instance_uid: name, server_id: server.id };
    const { data: preview } = await service.call('deployments.preview', { body });
    const { warnings: _, ...state } = preview;
    return {
      text: [
        `deploy ${rest.species} as ${name} on ${oneLine(server.name, 60)}`,
        planText(preview),
        `- volumes: ${listed(preview.volumes, (item) => item.name, { none: 'none' }).replaceAll('\n', ', ')}`,
      ].join('\n'),
      state,
      async carryOut(idempotencyKey) {
        const { data: definition } = await service.call('definitions.create', { body, idempotencyKey });
        const created = `Created ${name} (${definition.id}).`;
        try {
          return ordered(created, await deployFirst(service, definition.id, idempotencyKey));
        } catch (error) {
          if (!isProblem(error)) throw error;
          throw new Refusal(`${created} It was not deployed: ${oneLine(error.message)} Next: deploy.`);
        }
      },
    };
  },
});

/** Orders the first deployment of a definition, exactly as the service plans it. */
async function deployFirst(service: Service, definition_id: string, idempotencyKey: string): Promise<string> {
  const { data: plan } = await service.call('deployments.plan', { params: { id: definition_id } });
  const body = { definition_id, plan_hash: plan.plan_hash };
  return (await service.call('deployments.execute', { body, idempotencyKey })).data.id;
}
