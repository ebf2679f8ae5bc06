import Type from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Timestamp, topLevel } from '../envelope.ts';

export const healthEndpoints = {
  'health.read': endpoint({
    method: 'GET',
    path: '/health',
    tag: 'health',
    summary: 'Ask whether the service is alive',
    description:
      'Needs no key and is never limited. Its fields stand at the top level. Being alive is not being ready.',
    permission: 'public',
    response: topLevel({
      status: Type.Literal('healthy'),
      timestamp: Timestamp,
      version: Type.String({ description: 'Version of the service.', examples: ['0.1.0'] }),
    }),
  }),
};
