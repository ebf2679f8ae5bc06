import Type, { type Static } from 'typebox';
import { ComponentName, Port, Slug, strict, Text } from './notation.ts';

export const Route = strict(
  {
    name: Slug('How ${routes.<name>.url} finds it.'),
    component: Type.Optional(ComponentName),
    port: Port('Where the component listens.'),
    host: Text('The host name that leads here.'),
    path: Type.Optional(
      Type.String({ pattern: '^(/|\\$\\{)', maxLength: 1024, default: '/', description: 'Path prefix.' }),
    ),
    strip: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the prefix is removed before the component sees it.' }),
    ),
    tls: Type.Optional(
      Type.Enum(['auto', 'internal', 'off'], {
        default: 'auto',
        description: 'A public certificate, one of the server’s own authority, or plain HTTP.',
      }),
    ),
    primary: Type.Optional(Type.Boolean({ default: false, description: 'The address shown for the instance.' })),
  },
  { description: 'A way in from outside, through the ingress of the server.' },
);

export type Route = Static<typeof Route>;
