import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { list, paging } from '../envelope.ts';

export const Setting = Type.Object(
  {
    name: Type.String({ examples: ['HORTUS_PORT'] }),
    value: Type.String({ description: 'The effective value. For a secret, only whether it is set.' }),
  },
  { title: 'Setting' },
);
export type Setting = Static<typeof Setting>;

export const settingEndpoints = {
  'settings.list': endpoint({
    method: 'GET',
    path: '/settings',
    tag: 'settings',
    summary: 'List the settings of the running service',
    permission: 'admin',
    query: Type.Object(paging),
    response: list(Setting),
  }),
};
