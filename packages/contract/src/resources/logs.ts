import Type, { type Static } from 'typebox';
import { endpoint, live } from '../endpoint.ts';
import { envelope, Timestamp } from '../envelope.ts';
import { ContainerLogLevel, containerLogLevels } from '../protocol/log-filter.ts';
import { choice, idParam, nullable, text } from '../records/fields.ts';

const lineId = Type.String({ pattern: '^\\d{1,16}$', description: 'Position in the log of the instance.' });

export const ContainerLine = Type.Object(
  {
    id: lineId,
    at: Timestamp,
    component: Type.String(),
    replica: Type.Integer({ minimum: 1, description: 'Number of the container among equal ones.' }),
    container_id: Type.String({ description: 'First characters of the id of the container.' }),
    stream: choice(['stdout', 'stderr']),
    level: nullable(ContainerLogLevel, { description: 'Null if the line does not tell it in a common form.' }),
    text: Type.String({ description: 'Values of secrets are replaced by ***.' }),
    cut: Type.Boolean({ description: 'Whether the end of a line of more than 16 KiB was dropped.' }),
  },
  { title: 'ContainerLine' },
);
export type ContainerLine = Static<typeof ContainerLine>;

export const ContainerLogPage = Type.Object(
  {
    lines: Type.Array(ContainerLine, { description: 'Oldest first.' }),
    older: nullable(lineId, { description: 'As before it gives the page before this one; null if there is none.' }),
    newer: nullable(lineId, { description: 'As after it gives the lines since this page.' }),
  },
  { title: 'ContainerLogPage' },
);
export type ContainerLogPage = Static<typeof ContainerLogPage>;

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description }));

const reading = endpoint({
  method: 'GET',
  path: '/instances/{id}/logs',
  tag: 'instances',
  summary: 'Read what the containers of an instance write, or follow it',
  description:
    'The last lines, oldest first; with after the next ones. The server keeps them, by default up to 20 MB and 7 days of each component, also after a container has crashed or was removed. As a stream: the last lines, or those after Last-Event-ID, and then every new line.',
  permission: 'instances:logs',
  params: Type.Object({ id: idParam('Id of an instance.') }),
  query: Type.Object({
    component: Type.Optional(text(64, { description: 'Only this component.' })),
    since: time('Only lines from this time on.'),
    until: time('Only lines up to this time. Not for streams.'),
    tail: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5_000,
        description: 'Number of lines; 200 by default, or for a stream with since, all of them.',
      }),
    ),
    q: Type.Optional(text(128, { description: 'Only lines with all of these words, in any case.' })),
    level: Type.Optional(choice(containerLogLevels, { description: 'Only lines of this level or a more severe one.' })),
    after: Type.Optional(
      Type.String({ pattern: '^\\d{1,16}$', description: 'Only lines after this id, oldest first.' }),
    ),
    before: Type.Optional(Type.String({ pattern: '^\\d{1,16}$', description: 'Only lines before this id.' })),
  }),
  response: envelope(ContainerLogPage),
});

export const logEndpoints = {
  'logs.instance': live(reading, {
    events: {
      line: 'a line, as in the list.',
      left_out: 'this client or the service read too slowly: `lines` lines were left out here.',
      waiting: 'the server cannot be reached at the moment; the stream continues when it is back.',
    },
    ids: 'the id of the line',
  }),
};
