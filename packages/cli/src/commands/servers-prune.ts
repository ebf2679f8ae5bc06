import type { Client } from '@hortus/client/client';
import type { Execution } from '@hortus/contract/resources/actions';
import type { PruneReport } from '@hortus/contract/resources/servers';
import { confirmByName } from '../asking.ts';
import { command } from '../command.ts';
import { Failure } from '../failure.ts';
import { followExecution } from '../following/execution.ts';
import { findServer } from '../lookup/servers.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import type { World } from '../world.ts';

export const serversPrune = command({
  name: 'servers prune',
  summary: 'Remove what is left on a server of instances that are gone',
  about:
    'Shows first what would go and asks. Containers and networks of ours, images that were pulled for us and that nobody uses;\nvolumes only by name. Nothing that is not ours is touched.',
  args: ['server'],
  options: {
    'dry-run': { type: 'boolean', about: 'Only show it.' },
    volume: {
      type: 'string',
      value: 'name',
      multiple: true,
      about: 'A volume of an instance that is gone, with its data.',
    },
    yes: { type: 'boolean', about: 'Do not ask.' },
  },
  examples: [
    ['hortus servers prune web-1 --dry-run', 'What would go.'],
    ['hortus servers prune web-1 --volume old-blog_data', 'With the data of one that is gone.'],
  ],
  calls: ['servers.list', 'servers.read', 'servers.prune', 'actions.read'],
  async run({ args, options, json, client, world }) {
    const { terminal } = world;
    const service = await client();
    const server = await findServer(service, args.server);
    const ask = (dry_run: boolean) => pruned(world, service, server.id, { dry_run, volumes: [...options.volume] });
    const preview = await ask(true);
    const unknown = options.volume.find((name) => !preview.volumes.includes(name));
    if (unknown !== undefined) {
      throw new Failure('missing', `${unknown} is no volume of an instance that is gone from ${server.name}.`);
    }
    const isNothing = going(preview).length === 0;
    if (options['dry-run'] || isNothing) {
      if (json) printJson(terminal, preview);
      else terminal.out(words(preview, isNothing ? 'There is nothing to remove.' : 'This would go:'));
      return 'ok';
    }
    if (!json) terminal.note(words(preview, 'This goes:'));
    await confirmByName(world, `Pruning ${server.name} cannot be undone.`, server.name, options.yes);
    const done = await ask(false);
    if (json) printJson(terminal, done);
    else terminal.out(`${going(done).length} things were removed from ${server.name}.\n`);
    return 'ok';
  },
});

async function pruned(
  world: World,
  service: Client,
  id: string,
  body: { dry_run: boolean; volumes: string[] },
): Promise<PruneReport> {
  const { execution } = await service.call('servers.prune', { params: { id }, body });
  const ended = await followExecution(service, execution, world, {
    timeout: 10 * 60_000,
    unfinished: `${execution.id} has not ended yet. hortus actions show ${execution.id} tells when it has.`,
  });
  return reportOf(ended);
}

function reportOf({ status, error, output }: Execution): PruneReport {
  if (status !== 'completed' || output === null)
    throw new Failure('failed', error ?? `The server ended it as ${status}.`);
  return JSON.parse(output) as PruneReport;
}

const kinds = { containers: 'container', networks: 'network', images: 'image', volumes: 'volume' } as const;

function going(report: PruneReport): string[] {
  return Object.entries(kinds).flatMap(([kind, word]) =>
    report[kind as keyof typeof kinds].map((name) => `${word} ${name}`),
  );
}

function words(report: PruneReport, head: string): string {
  const kept = report.kept_volumes.map((name) => `volume ${name} stays; --volume ${name} would remove it`);
  return [head, ...[...going(report), ...kept].map((line) => `  ${safeLine(line)}`), ''].join('\n');
}
