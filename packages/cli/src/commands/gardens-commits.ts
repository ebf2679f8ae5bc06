import { gardenCommitMachine } from '@hortus/contract/machines/garden-commit';
import type { GardenCommit, GardenCommitDetail } from '@hortus/contract/resources/garden-source-records';
import { chosen } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { printList } from '../command-line/printing.ts';
import { commitStatus, shortSha } from '../gardens/commit-words.ts';
import { countsText, gardenPlanText } from '../gardens/show-plan.ts';
import { findCommit, findFollowed } from '../lookup/gardens.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { facts } from '../output/table.ts';
import { ago } from '../output/words.ts';
import type { World } from '../world/world.ts';

export const gardensCommits = command({
  name: 'gardens commits',
  summary: 'List the commits of a followed garden and their states',
  args: ['garden'],
  options: { status: { type: 'string', value: 'status', about: 'Only those in this state, such as waiting.' } },
  examples: [
    ['hortus gardens commits home', 'The newest first.'],
    ['hortus gardens commits home --status waiting', 'What waits for an approval.'],
  ],
  calls: ['gardens.list', 'gardens.commits'],
  async run(call) {
    const status = chosen('status', call.options.status, gardenCommitMachine.states);
    const client = await call.client();
    const { id, name } = await findFollowed(client, call.args.garden);
    const query = { per_page: 100, ...(status && { status }) };
    const { data } = await client.call('gardens.commits', { params: { id }, query });
    const { terminal, now } = call.world;
    const columns = [
      { title: 'Commit', text: ({ sha }: GardenCommit) => shortSha(sha) },
      { title: 'Status', painted: (commit: GardenCommit) => commitStatus(terminal, commit) },
      { title: 'Found', text: ({ created_at }: GardenCommit) => ago(created_at, now()) },
      { title: 'Plan', text: ({ counts }: GardenCommit) => (counts === null ? '' : countsText(counts)) },
      { title: 'Author', text: ({ author }: GardenCommit) => author },
      { title: 'Subject', text: ({ subject }: GardenCommit) => subject },
    ];
    const none = status
      ? `No commit of ${name} is ${status}.`
      : `No commits yet. hortus gardens sync ${name} reads the repository now.`;
    return printList(call, data, columns, none);
  },
});

export const gardensCommit = command({
  name: 'gardens commit',
  summary: 'Show a commit of a followed garden with its plan',
  args: ['garden', 'commit?'],
  examples: [
    ['hortus gardens commit home', 'The newest one.'],
    ['hortus gardens commit home 3f2a91c', 'By its id, or the beginning of it.'],
    ['hortus gardens commit home -o plan_hash', 'What hortus gardens approve --plan-hash expects.'],
  ],
  calls: ['gardens.list', 'gardens.commits', 'gardens.commit'],
  async run({ args, json, client, world }) {
    const service = await client();
    const garden = await findFollowed(service, args.garden);
    const { id } = await findCommit(service, garden, args.commit);
    const { data } = await service.call('gardens.commit', { params: { id: garden.id, commit_id: id } });
    if (json) printJson(world.terminal, data);
    else world.terminal.out(commitText(world, data));
    return 'ok';
  },
});

/** Formats a commit: what it is, why it cannot be applied, and its plan. */
export function commitText({ terminal, now }: World, commit: GardenCommitDetail): string {
  const about = facts(terminal, [
    ['Commit', commit.sha],
    ['Subject', commit.subject],
    ['Author', commit.author],
    ['Committed', commit.committed_at && ago(commit.committed_at, now())],
    ['Status', { painted: commitStatus(terminal, commit) }],
    ['Why', commit.error],
    ['Decided by', commit.decided_by],
    ['Run', commit.run_id],
    ['Plan hash', commit.plan_hash],
  ]);
  const problems = commit.problems.map(({ field, message }) => `${safeLine(field)}: ${safeLine(message)}\n`);
  const plan = commit.plan === null ? '' : `\n${gardenPlanText(terminal, commit.plan)}`;
  return `${about}${problems.length > 0 ? `\n${problems.join('')}` : ''}${plan}`;
}
