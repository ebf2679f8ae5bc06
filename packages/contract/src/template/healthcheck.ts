import Type, { type Static } from 'typebox';
import { Argv, Duration, mapOf, Port, strict, Text } from './notation.ts';

export const HttpProbe = strict(
  {
    port: Port('Where to ask.'),
    path: Type.Optional(
      Type.String({ pattern: '^(/|\\$\\{)', maxLength: 1024, default: '/', description: 'What to ask for.' }),
    ),
    scheme: Type.Optional(
      Type.Enum(['http', 'https'], { default: 'http', description: 'How to ask; a certificate is not checked.' }),
    ),
    headers: Type.Optional(mapOf(Type.String(), Text('A request header.'), { description: 'Request headers.' })),
    expect: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 599,
        description: 'The status that means healthy; any 2xx or 3xx unless said.',
      }),
    ),
  },
  { description: 'Healthy when it answers a request.' },
);

export const TcpProbe = strict(
  { port: Port('Where to connect.') },
  { description: 'Healthy when it accepts a connection.' },
);

export const Healthcheck = strict(
  {
    http: Type.Optional(HttpProbe),
    tcp: Type.Optional(TcpProbe),
    test: Type.Optional(Argv('A command run in the container; exit code 0 means healthy.')),
    disabled: Type.Optional(
      Type.Literal(true, {
        description: 'The check that the image brings along is not run, and none takes its place.',
      }),
    ),
    interval: Type.Optional(Duration('Time between two probes.', '10s')),
    timeout: Type.Optional(Duration('How long one probe may take.', '5s')),
    retries: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 3, description: 'Failures in a row that mean unhealthy.' }),
    ),
    start_period: Type.Optional(Duration('How long failures are forgiven after the start.', '30s')),
  },
  { description: 'Exactly one of http, tcp, test and disabled says when the component is healthy.' },
);

export type Healthcheck = Static<typeof Healthcheck>;
