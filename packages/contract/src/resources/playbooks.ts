import Type, { type Static } from 'typebox';
import { playbookTypes } from '../actions/playbooks.ts';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging } from '../envelope.ts';
import { choice, idParam } from '../records/fields.ts';

export const Playbook = Type.Object(
  {
    type: choice(playbookTypes),
    name: Type.String(),
    description: Type.String(),
    steps: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of the step, as in log lines of deployments.', examples: ['pull'] }),
        name: Type.String(),
        description: Type.String(),
      }),
      {
        description: 'In execution order. A step may occur several times, once, or not at all if it has nothing to do.',
      },
    ),
  },
  { title: 'Playbook' },
);
export type Playbook = Static<typeof Playbook>;

export const playbookEndpoints = {
  'playbooks.list': endpoint({
    method: 'GET',
    path: '/playbooks',
    tag: 'playbooks',
    summary: 'List the playbooks, the procedures of daemons with their steps',
    permission: 'deployments:read',
    hot: true,
    query: Type.Object({ ...paging }),
    response: list(Playbook),
  }),
  'playbooks.read': endpoint({
    method: 'GET',
    path: '/playbooks/{playbook_type}',
    tag: 'playbooks',
    summary: 'Read a playbook',
    permission: 'deployments:read',
    hot: true,
    params: Type.Object({ playbook_type: idParam('Type of a playbook, such as deploy.') }),
    response: envelope(Playbook),
  }),
};
