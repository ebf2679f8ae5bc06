import { forgeSettings } from '@hortus/contract/forge-settings';
import type { Garden } from '@hortus/contract/resources/gardens';
import { command } from '../command-line/command.ts';
import { printDone, printList, printRecord } from '../command-line/printing.ts';
import { commitStatus, commitTitle, shortSha } from '../gardens/commit-words.ts';
import { findGarden } from '../lookup/gardens.ts';
import { agree } from '../orders/asking.ts';
import { status } from '../output/status.ts';
import type { facts } from '../output/table.ts';
import { ago, count, lasting } from '../output/words.ts';
import type { Terminal } from '../world/terminal.ts';
import type { World } from '../world/world.ts';

type Facts = Parameters<typeof facts>[1];

export const gardensList = command({
  name: 'gardens list',
  summary: 'List the gardens and their last runs',
  examples: [['hortus gardens list', 'What was applied, and how it ended.']],
  calls: ['gardens.list'],
  async run(call) {
    const rows = await Array.fromAsync((await call.client()).pages('gardens.list', {}));
    const { terminal, now } = call.world;
    const columns = [
      { title: 'Name', text: ({ name }: Garden) => name },
      { title: 'Made', text: ({ items }: Garden) => `${items}` },
      { title: 'Last run', painted: ({ last_run: run }: Garden) => (run ? status(terminal, run.status) : '') },
      { title: 'When', text: ({ last_run: run }: Garden) => ago(run?.created_at ?? null, now()) },
      { title: 'Run', text: ({ last_run: run }: Garden) => run?.id ?? '' },
      { title: 'Newest commit', painted: ({ source }: Garden) => newestCommit(terminal, source) },
      { title: 'Follows', text: ({ source }: Garden) => (source === null ? '' : `${source.url} ${source.branch}`) },
    ];
    const none = 'No gardens yet. hortus apply creates one from a file, hortus gardens follow from a Git repository.';
    return printList(call, rows, columns, none);
  },
});

function newestCommit(terminal: Terminal, source: Garden['source']): string {
  if (source === null) return '';
  if (source.error !== null) return status(terminal, 'unreadable', 'bad');
  return source.last_commit === null ? '' : commitStatus(terminal, source.last_commit);
}

export const gardensShow = command({
  name: 'gardens show',
  summary: 'Show a garden, the repository that it follows, and its last run',
  args: ['garden'],
  examples: [['hortus gardens show home', 'What it follows, since when, and the newest commit.']],
  calls: ['gardens.list', 'gardens.read'],
  async run(call) {
    const client = await call.client();
    const { id } = await findGarden(client, call.args.garden);
    const { data } = await client.call('gardens.read', { params: { id } });
    const { terminal, now } = call.world;
    const { source, last_run: run, items } = data;
    return printRecord(call, data, [
      ['Name', data.name],
      ['Made', count(items, 'record')],
      ['Last run', run && { painted: `${status(terminal, run.status)} ${ago(run.created_at, now())}` }],
      ['Run', run?.id],
      ...(source === null
        ? ([['Source', 'files that are sent by hortus apply']] as const)
        : sourceFacts(call.world, source)),
      ['Id', data.id],
    ]);
  },
});

function sourceFacts({ terminal, now }: World, source: NonNullable<Garden['source']>): Facts {
  const { provider, last_commit: commit } = source;
  return [
    ['Repository', source.url],
    ['Branch', source.branch],
    ['Path', source.path],
    ['Mode', source.mode],
    ['Prune', source.prune ? 'yes' : 'no'],
    ['Forge', provider && forgeSettings[provider].name],
    ['Token', source.has_credentials ? `stored${source.username ? ` for ${source.username}` : ''}` : 'none'],
    ['Followed by', source.followed_by],
    ['Webhook', source.webhook_url],
    ['Interval', lasting(source.interval * 1000)],
    ['Read', ago(source.checked_at, now())],
    ['Problem', source.error],
    ['Newest commit', commit && commitTitle(commit)],
    ['Its status', commit && { painted: commitStatus(terminal, commit) }],
    ['Why', commit?.error],
    ['Applied commit', source.applied_sha && shortSha(source.applied_sha)],
  ];
}

export const gardensCancel = command({
  name: 'gardens cancel',
  summary: 'Stop a run of a garden',
  about: 'Nothing new is ordered; deployments that were ordered run to their end.',
  args: ['run'],
  examples: [['hortus gardens cancel grn_01j9zq3v5t8x2m4n6p7r9s0abc', 'The id of a run of hortus gardens list.']],
  calls: ['gardens.cancel'],
  async run(call) {
    const { data } = await (await call.client()).call('gardens.cancel', { params: { id: call.args.run } });
    return printDone(call, data, `${data.garden_name}: nothing new is ordered by this run.`);
  },
});

export const gardensForget = command({
  name: 'gardens forget',
  summary: 'Forget a garden and keep everything that it made',
  about: 'A repository that it follows is followed no more; its token and its webhook secret are removed.',
  args: ['garden'],
  options: { yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' } },
  examples: [['hortus gardens forget home', 'Its definitions keep running; --prune does not touch them any more.']],
  calls: ['gardens.list', 'gardens.delete'],
  async run(call) {
    const client = await call.client();
    const found = await findGarden(client, call.args.garden);
    if (!(await agree(call.world, `Forget the garden ${found.name}?`, call.options.yes)))
      return printDone(call, found, 'Nothing was changed.');
    const { data } = await client.call('gardens.delete', { params: { id: found.id } });
    return printDone(call, data, `${data.name} is forgotten; what it made stays.`);
  },
});
