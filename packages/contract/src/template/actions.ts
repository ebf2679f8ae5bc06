import Type, { type Static } from 'typebox';
import { Environment } from './component.ts';
import { ComponentImage } from './image.ts';
import { valueConstraints } from './inputs.ts';
import {
  Argv,
  ComponentName,
  Line,
  mapOf,
  Port,
  Schedule,
  Slug,
  StorageName,
  strict,
  Text,
  VariableName,
} from './notation.ts';

export const ActionParam = strict({
  name: VariableName('Name in ${params.<name>}.'),
  ...valueConstraints,
  required: Type.Optional(Type.Boolean({ default: false, description: 'Whether a value is required.' })),
});

const HttpCall = strict(
  {
    method: Type.Optional(
      Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'POST', description: 'The request method.' }),
    ),
    port: Port('Port of the component.'),
    path: Type.String({ pattern: '^/', maxLength: 2048, description: 'Path and query.', examples: ['/api/reindex'] }),
    headers: Type.Optional(
      mapOf(Type.String(), Text('A request header.'), { default: {}, description: 'Request headers.' }),
    ),
    body: Type.Optional(Text('The request body.')),
    expect: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 599, description: 'Expected status; any 2xx by default.' }),
    ),
  },
  { description: 'Request of an action of type http.' },
);

export const Action = strict(
  {
    name: Line('Display name.'),
    slug: Slug('Name of the action in the API.'),
    description: Type.Optional(
      Type.String({ maxLength: 1000, default: '', description: 'What it does, for its users.' }),
    ),
    type: Type.Enum(['exec', 'job', 'http'], {
      description: 'exec: in a running component; job: in a temporary container like it; http: as a request to it.',
    }),
    component: Type.Optional(ComponentName),
    command: Type.Optional(
      Argv('The argument vector; ${params.x} is filled within one argument, never into a shell line.'),
    ),
    http: Type.Optional(HttpCall),
    image: Type.Optional(ComponentImage),
    env: Type.Optional(Environment),
    user: Type.Optional(Line('User and group of the command.')),
    working_dir: Type.Optional(Line('Working directory of the command.')),
    timeout: Type.Optional(
      Type.String({ pattern: '^\\d+s$', default: '60s', description: 'Seconds with an s, such as 300s.' }),
    ),
    dangerous: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether it is destructive; needs confirmation.' }),
    ),
    params: Type.Optional(
      Type.Array(ActionParam, { default: [], maxItems: 50, description: 'Parameters of each execution.' }),
    ),
  },
  { description: 'A command on a running instance.' },
);

export const Backup = strict(
  {
    strategy: Type.Optional(
      Type.Enum(['none', 'volume', 'dump', 'both'], {
        default: 'none',
        description: 'Copies of volumes, the output of dump_action, or both.',
      }),
    ),
    volumes: Type.Optional(
      Type.Array(
        strict({
          name: StorageName,
          critical: Type.Optional(
            Type.Boolean({ default: false, description: 'Whether a backup without it is incomplete.' }),
          ),
        }),
        {
          default: [],
          description: 'Volumes to copy.',
        },
      ),
    ),
    dump_action: Type.Optional(Slug('The action whose output is the dump.')),
    restore_command: Type.Optional(Argv('Restores the data from a dump on its standard input; runs like dump_action.')),
    restore_into: Type.Optional(
      Type.Enum(['running', 'empty'], {
        description:
          'Where restore_command reads the dump. empty (by default): all containers are removed, the volumes that the dump rebuilds are emptied, only the component of dump_action and what it depends on run, and the others start afterwards. running: the application runs meanwhile on the database that it has, and is not restarted; needs restore_reason.',
      }),
    ),
    restore_reason: Type.Optional(
      Line('Why the dump must be read by the running application. Shown before a restore.'),
    ),
    restore_needs: Type.Optional(
      Type.Array(ComponentName, {
        maxItems: 20,
        description:
          'Further components that run before restore_command, such as a job that sets the database up; not with restore_into: running.',
      }),
    ),
    schedule_hint: Type.Optional(Schedule('Suggested frequency: hourly, daily, weekly or a cron expression.')),
  },
  { default: {}, description: 'Content of a backup of an instance.' },
);

export const SmokeTest = strict(
  {
    http: Type.Optional(
      strict(
        {
          route: Slug('The route to request.'),
          path: Type.Optional(
            Type.String({ pattern: '^/', default: '/', description: 'Relative to the path of the route.' }),
          ),
          expect: Type.Optional(
            Type.Integer({ minimum: 100, maximum: 599, default: 200, description: 'Expected status.' }),
          ),
          contains: Type.Optional(Text('Text that the body must contain.')),
        },
        { description: 'Requests a route.' },
      ),
    ),
    tcp: Type.Optional(
      strict(
        { component: Type.Optional(ComponentName), port: Port('Must accept a connection.') },
        { description: 'Connects to a component.' },
      ),
    ),
    exec: Type.Optional(
      strict(
        { component: Type.Optional(ComponentName), command: Argv('Must end with exit code 0.') },
        { description: 'Runs a command in a component.' },
      ),
    ),
  },
  { description: 'One check of the deploy test; exactly one of http, tcp and exec.' },
);

export type ActionParam = Static<typeof ActionParam>;
export type Action = Static<typeof Action>;
export type Backup = Static<typeof Backup>;
export type SmokeTest = Static<typeof SmokeTest>;
