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
  name: VariableName('How ${params.<name>} finds it.'),
  ...valueConstraints,
  required: Type.Optional(Type.Boolean({ default: false, description: 'It must be given.' })),
});

const HttpCall = strict(
  {
    method: Type.Optional(
      Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'POST', description: 'The request method.' }),
    ),
    port: Port('Where the component listens.'),
    path: Type.String({ pattern: '^/', maxLength: 2048, description: 'Path and query.', examples: ['/api/reindex'] }),
    headers: Type.Optional(
      mapOf(Type.String(), Text('A request header.'), { default: {}, description: 'Request headers.' }),
    ),
    body: Type.Optional(Text('The request body.')),
    expect: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 599, description: 'The status of success; any 2xx unless said.' }),
    ),
  },
  { description: 'The call that an action of type http makes.' },
);

export const Action = strict(
  {
    name: Line('What a person sees.'),
    slug: Slug('Names the action in the API.'),
    description: Type.Optional(
      Type.String({ maxLength: 1000, default: '', description: 'What it does, for who runs it.' }),
    ),
    type: Type.Enum(['exec', 'job', 'http'], {
      description: 'In a running component, in a throw-away container like it, or as a call to it.',
    }),
    component: Type.Optional(ComponentName),
    command: Type.Optional(Argv('The arguments; ${params.x} fills within one argument, never a shell line.')),
    http: Type.Optional(HttpCall),
    image: Type.Optional(ComponentImage),
    env: Type.Optional(Environment),
    user: Type.Optional(Line('User and group the command runs as.')),
    working_dir: Type.Optional(Line('The directory the command starts in.')),
    timeout: Type.Optional(
      Type.String({ pattern: '^\\d+s$', default: '60s', description: 'Seconds with an s, such as 300s.' }),
    ),
    dangerous: Type.Optional(
      Type.Boolean({ default: false, description: 'Destroys something; a person is asked first.' }),
    ),
    params: Type.Optional(
      Type.Array(ActionParam, { default: [], maxItems: 50, description: 'What is asked each time.' }),
    ),
  },
  { description: 'Something to do on a running instance.' },
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
          critical: Type.Optional(Type.Boolean({ default: false, description: 'A backup without it is none.' })),
        }),
        {
          default: [],
          description: 'The volumes that are copied.',
        },
      ),
    ),
    dump_action: Type.Optional(Slug('The action whose output is the dump.')),
    restore_command: Type.Optional(
      Argv('Makes the data again from a dump, which it reads from its standard input; run as dump_action is.'),
    ),
    schedule_hint: Type.Optional(Schedule('How often it is worth it: hourly, daily, weekly or a cron line.')),
  },
  { default: {}, description: 'What a backup of an instance consists of.' },
);

export const SmokeTest = strict(
  {
    http: Type.Optional(
      strict(
        {
          route: Slug('The route to ask.'),
          path: Type.Optional(
            Type.String({ pattern: '^/', default: '/', description: 'Below the path of the route.' }),
          ),
          expect: Type.Optional(
            Type.Integer({ minimum: 100, maximum: 599, default: 200, description: 'The status of success.' }),
          ),
          contains: Type.Optional(Text('What the body must contain.')),
        },
        { description: 'Asks a route.' },
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
