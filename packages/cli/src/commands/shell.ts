import type { ShellSession } from '@hortus/contract/resources/shells';
import { command } from '../command-line/command.ts';
import { printList } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { findInstance } from '../lookup/instances.ts';
import { ago, lasting } from '../output/words.ts';
import { replay } from '../shell/replay.ts';

export const shell = command({
  name: 'shell',
  summary: 'Open a shell in a container of an instance, or replay one',
  about:
    'Runs bash or sh, or the command after --. Its exit code is the exit code of hortus. Without a terminal, standard input is passed on as a pipe. What the terminal shows is recorded and kept for 30 days.',
  args: ['instance?'],
  rest: 'command',
  options: {
    component: { type: 'string', value: 'name', about: 'Enter this component instead of the main one.' },
    replay: { type: 'string', value: 'session', about: 'Play the recording of a session instead.' },
    speed: { type: 'string', value: 'factor', about: 'Play faster or slower; 1 by default.' },
  },
  examples: [
    ['hortus shell miniflux', 'Opens a shell in the main container.'],
    ['hortus shell miniflux --component db -- psql -U miniflux', 'Runs a program in a terminal.'],
    ['hortus shell miniflux -- cat /etc/hosts > hosts', 'Runs a command in a script.'],
    ['hortus shell --replay shl_01j9zq3v5t8x2m4n6p7r9s0abc --speed 4', 'Replays a session.'],
  ],
  calls: ['shells.open', 'shells.recording', 'instances.list', 'instances.read'],
  async run({ args, options, rest, json, client, settings, world }) {
    const service = await client();
    if (options.replay !== undefined) {
      await replay(service, world, options.replay, { speed: speedOf(options.speed), json });
      return 'ok';
    }
    if (args.instance === undefined) throw new Failure('usage', 'Which instance? Give its name, or --replay.');
    const { id } = await findInstance(service, args.instance);
    // Loaded only here: no other command needs WebSockets.
    const { enterShell } = await import('../shell/enter.ts');
    return await enterShell({
      service,
      settings: await settings(),
      raw: world.rawTerminal(),
      instanceId: id,
      component: options.component,
      command: rest,
      term: world.env.TERM,
    });
  },
});

export const shellsList = command({
  name: 'shells list',
  summary: 'List the shell sessions of an instance',
  args: ['instance'],
  examples: [['hortus shells list miniflux', 'Who was in its containers, when and how long.']],
  calls: ['shells.list', 'instances.list', 'instances.read'],
  async run(call) {
    const client = await call.client();
    const { id } = await findInstance(client, call.args.instance);
    const rows = await Array.fromAsync(client.pages('shells.list', { params: { id } }));
    const columns = [
      { title: 'Session', text: (session: ShellSession) => session.id },
      { title: 'By', text: (session: ShellSession) => session.opened_by },
      { title: 'From', text: (session: ShellSession) => session.address },
      { title: 'Component', text: (session: ShellSession) => session.component ?? '' },
      { title: 'Opened', text: (session: ShellSession) => ago(session.created_at, call.world.now()) },
      {
        title: 'Lasted',
        text: (session: ShellSession) => (session.duration_ms === null ? '' : lasting(session.duration_ms)),
      },
      {
        title: 'End',
        text: (session: ShellSession) =>
          session.exit_code === null ? (session.ending ?? '') : `exit ${session.exit_code}`,
      },
    ];
    return printList(call, rows, columns, 'No shell was opened in the last 30 days.');
  },
});

function speedOf(input: string | undefined): number {
  const speed = Number(input ?? 1);
  if (speed > 0 && speed <= 1_000) return speed;
  throw new Failure('usage', '--speed must be a number above 0, up to 1000.');
}
