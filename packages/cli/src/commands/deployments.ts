import { deploymentMachine } from '@hortus/contract/machines/deployment';
import type { Deployment } from '@hortus/contract/resources/deployment-records';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { findDefinition } from '../lookup/definitions.ts';
import { findServer, serverNames } from '../lookup/servers.ts';
import { printJson } from '../output/json.ts';
import { status } from '../output/status.ts';
import { table } from '../output/table.ts';
import { ago, between } from '../output/words.ts';

export const deploymentsList = command({
  name: 'deployments list',
  summary: 'List the deployments, newest first',
  options: {
    definition: { type: 'string', value: 'definition', about: 'Only of this definition, by uid or id.' },
    server: { type: 'string', value: 'server', about: 'Only on this server.' },
    status: { type: 'string', value: 'status', about: `Only ${deploymentMachine.states.join(', ')}.` },
    limit: { type: 'string', value: 'number', about: 'Maximum number of entries; default 20.' },
  },
  examples: [
    ['hortus deployments list', 'The last twenty.'],
    ['hortus deployments list --status failed --limit 5', 'The last five that failed.'],
  ],
  calls: ['deployments.list', 'definitions.list', 'definitions.read', 'servers.list', 'servers.read'],
  async run({ options, json, client, world: { terminal, now } }) {
    const limit = Number(options.limit ?? 20);
    if (!Number.isInteger(limit) || limit < 1) throw new Failure('usage', '--limit must be a number of at least 1.');
    const state = deploymentMachine.states.find((word) => word === options.status);
    if (options.status !== undefined && state === undefined) {
      throw new Failure('usage', `--status must be one of ${deploymentMachine.states.join(', ')}.`);
    }
    const service = await client();
    const query = {
      ...(options.definition ? { definition_id: (await findDefinition(service, options.definition)).id } : {}),
      ...(options.server ? { server_id: (await findServer(service, options.server)).id } : {}),
      ...(state ? { status: state } : {}),
      per_page: Math.min(limit, 100),
    };
    const shown = await firstOf(service.pages('deployments.list', { query }), limit);
    if (json) {
      printJson(terminal, shown);
      return 'ok';
    }
    if (shown.length === 0) {
      terminal.out('No deployments yet. Start one with hortus deploy <species>\n');
      return 'ok';
    }
    const serverName = await serverNames(service);
    const uids = new Map<string, string>();
    const everyone = { query: { status: 'all' } } as const;
    for await (const { id, instance_uid } of service.pages('definitions.list', everyone)) uids.set(id, instance_uid);
    terminal.out(
      table<Deployment>(
        terminal,
        [
          { title: 'Deployment', text: ({ id }) => id },
          { title: 'Of', text: ({ definition_id }) => uids.get(definition_id) ?? definition_id },
          { title: 'Server', text: ({ server_id }) => serverName(server_id) },
          { title: 'Revision', text: ({ revision, kind }) => `${revision}${kind === 'deploy' ? '' : ` (${kind})`}` },
          { title: 'Status', painted: (deployment) => status(terminal, deployment.status, styleNow(deployment)) },
          { title: 'Ordered', text: ({ created_at }) => ago(created_at, now()) },
          { title: 'Took', text: took },
          { title: 'Reason', text: ({ reason, error }) => reason ?? error ?? '' },
        ],
        shown,
      ),
    );
    return 'ok';
  },
});

/** Marks a running deployment as in progress; for an instance the same word means healthy. */
const styleNow = (deployment: Deployment) => (deployment.status === 'running' ? 'begun' : undefined);

const took = ({ started_at, finished_at }: Deployment): string =>
  started_at === null || finished_at === null ? '' : between(started_at, finished_at);

async function firstOf<Item>(items: AsyncIterable<Item>, limit: number): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= limit) break;
  }
  return taken;
}
