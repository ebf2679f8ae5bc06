import Type, { type Static } from 'typebox';
import { ComponentName, Port, Slug, strict, Text } from './notation.ts';

export const Route = strict(
  {
    name: Slug('Name in ${routes.<name>.url}.'),
    component: Type.Optional(ComponentName),
    port: Port('Port of the component.'),
    host: Text('Host name of the route.'),
    path: Type.Optional(
      Type.String({ pattern: '^(/|\\$\\{)', maxLength: 1024, default: '/', description: 'Path prefix.' }),
    ),
    strip: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the path prefix is removed from forwarded requests.' }),
    ),
    scheme: Type.Optional(
      Type.Enum(['http', 'https'], {
        description:
          'Protocol that the port speaks; http by default. With https its certificate is not verified: it is usually self-signed.',
      }),
    ),
    tls: Type.Optional(
      Type.Enum(['auto', 'internal', 'off'], {
        default: 'auto',
        description: 'auto: a public certificate; internal: a certificate of the server’s own CA; off: plain HTTP.',
      }),
    ),
    primary: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether it is the address shown for the instance.' }),
    ),
  },
  { description: 'A public address, served by the ingress of the server.' },
);

export type Route = Static<typeof Route>;
