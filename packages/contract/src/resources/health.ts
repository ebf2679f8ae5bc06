import Type from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Timestamp, topLevel } from '../envelope.ts';

export const healthEndpoints = {
  'health.read': endpoint({
    method: 'GET',
    path: '/health',
    tag: 'health',
    summary: 'Check whether the service is alive',
    description: 'Needs no key and has no rate limit. The fields are at the top level. Alive does not mean ready.',
    permission: 'public',
    response: topLevel({
      status: Type.Literal('healthy'),
      timestamp: Timestamp,
      version: Type.String({ description: 'Version of the service.', examples: ['0.1.0'] }),
    }),
  }),
};
