import type { Client } from '@hortus/client/client';
import type { Execution } from '@hortus/contract/resources/actions';
import type { PruneReport } from '@hortus/contract/resources/servers';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { followExecution } from '../following/execution.ts';
import { findServer } from '../lookup/servers.ts';
import { confirmByName } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import type { World } from '../world/world.ts';

export const serversPrune = command({
  name: 'servers prune',
  summary: 'Remove leftovers of deleted instances from a server',
  about:
    'Shows the list and asks for confirmation. Removes containers and networks of Hortus and unused images that it pulled;\nvolumes only by name. Nothing else on the server is touched.',
  args: ['server'],
  options: {
    'dry-run': { type: 'boolean', about: 'Only show the list.' },
    volume: {
      type: 'string',
      value: 'name',
      multiple: true,
      about: 'Remove this volume of a deleted instance, with its data.',
    },
    yes: { type: 'boolean', about: 'Skip the confirmation.' },
  },
  examples: [
    ['hortus servers prune web-1 --dry-run', 'Shows what would be removed.'],
    ['hortus servers prune web-1 --volume old-blog_data', 'Removes a volume too.'],
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
      throw new Failure('missing', `${unknown} is not a volume of a deleted instance on ${server.name}.`);
    }
    const isNothing = going(preview).length === 0;
    if (options['dry-run'] || isNothing) {
      if (json) printJson(terminal, preview);
      else terminal.out(words(preview, isNothing ? 'There is nothing to remove.' : 'Would be removed:'));
      return 'ok';
    }
    if (!json) terminal.note(words(preview, 'To be removed:'));
    await confirmByName(world, `Pruning ${server.name} cannot be undone.`, server.name, options.yes);
    const done = await ask(false);
    if (json) printJson(terminal, done);
    else terminal.out(`${going(done).length} objects were removed from ${server.name}.\n`);
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
    unfinished: `${execution.id} has not finished yet. hortus actions show ${execution.id} shows its progress.`,
  });
  return reportOf(ended);
}

function reportOf({ status, error, output }: Execution): PruneReport {
  if (status !== 'completed' || output === null)
    throw new Failure('failed', error ?? `The server reported the status ${status}.`);
  return JSON.parse(output) as PruneReport;
}

const kinds = { containers: 'container', networks: 'network', images: 'image', volumes: 'volume' } as const;

function going(report: PruneReport): string[] {
  return Object.entries(kinds).flatMap(([kind, word]) =>
    report[kind as keyof typeof kinds].map((name) => `${word} ${name}`),
  );
}

function words(report: PruneReport, head: string): string {
  const kept = report.kept_volumes.map((name) => `volume ${name} stays; remove it with --volume ${name}`);
  return [head, ...[...going(report), ...kept].map((line) => `  ${safeLine(line)}`), ''].join('\n');
}
