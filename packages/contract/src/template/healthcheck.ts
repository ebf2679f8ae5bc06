import Type, { type Static } from 'typebox';
import { Argv, Duration, mapOf, Port, strict, Text } from './notation.ts';

const HttpProbe = strict(
  {
    port: Port('Port of the request.'),
    path: Type.Optional(
      Type.String({ pattern: '^(/|\\$\\{)', maxLength: 1024, default: '/', description: 'Path of the request.' }),
    ),
    scheme: Type.Optional(
      Type.Enum(['http', 'https'], {
        default: 'http',
        description: 'Scheme of the request; certificates are not verified.',
      }),
    ),
    headers: Type.Optional(mapOf(Type.String(), Text('A request header.'), { description: 'Request headers.' })),
    expect: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 599,
        description: 'Status of a healthy answer; any 2xx or 3xx by default.',
      }),
    ),
  },
  { description: 'Healthy if it answers a request.' },
);

const TcpProbe = strict(
  { port: Port('Port of the connection.') },
  { description: 'Healthy if it accepts a connection.' },
);

export const Healthcheck = strict(
  {
    http: Type.Optional(HttpProbe),
    tcp: Type.Optional(TcpProbe),
    test: Type.Optional(Argv('Command in the container; exit code 0 means healthy.')),
    disabled: Type.Optional(
      Type.Literal(true, {
        description: 'Disables the health check of the image without a replacement.',
      }),
    ),
    interval: Type.Optional(Duration('Time between two probes.', '10s')),
    timeout: Type.Optional(Duration('Timeout of one probe.', '5s')),
    retries: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 3, description: 'Consecutive failures that mean unhealthy.' }),
    ),
    start_period: Type.Optional(Duration('Time after the start during which failures are ignored.', '30s')),
  },
  { description: 'Health check of the component: exactly one of http, tcp, test and disabled.' },
);

export type Healthcheck = Static<typeof Healthcheck>;
