import type { Client } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import type { GardenCommit } from '@hortus/contract/resources/garden-source-records';
import type { Garden } from '@hortus/contract/resources/gardens';
import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import type { Exit } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { followCommit } from '../following/garden-commit.ts';
import { commitTitle, shortSha } from '../gardens/commit-words.ts';
import { findCommit, findFollowed } from '../lookup/gardens.ts';
import { agree, waiting, waitOptions } from '../orders/asking.ts';
import { printJson } from '../output/json.ts';
import { safeLine } from '../output/safe-text.ts';
import { count } from '../output/words.ts';
import type { World } from '../world/world.ts';
import { commitText } from './gardens-commits.ts';

export const gardensApprove = command({
  name: 'gardens approve',
  summary: 'Apply a commit that waits for an approval',
  about:
    'Shows the plan and asks. A script names the plan that a person has seen: --yes with --plan-hash. A plan that has changed since is refused.',
  args: ['garden', 'commit?'],
  options: {
    yes: { type: 'boolean', short: 'y', about: 'Skip the question; needs --plan-hash.' },
    'plan-hash': { type: 'string', value: 'hash', about: 'Hash of the plan that is approved.' },
    ...waitOptions,
  },
  examples: [
    ['hortus gardens approve home --wait', 'Shows the plan of the waiting commit, asks, and follows the run.'],
    ['hortus gardens approve home 3f2a91c --yes --plan-hash sha256:9b0d41…', 'For a script.'],
  ],
  calls: ['gardens.list', 'gardens.commits', 'gardens.commit', 'gardens.approve', 'gardens.run'],
  async run({ args, options, json, client, world }): Promise<Exit> {
    const { terminal } = world;
    const { wait, timeout } = waiting(options);
    const asks = terminal.interactive && !options.yes;
    const input = options['plan-hash'];
    if (!asks && input === undefined)
      throw new Failure('usage', 'Without a question, --plan-hash must name the plan that is approved.', {
        hint: `hortus gardens commit ${args.garden} shows it.`,
      });
    const service = await client();
    const garden = await findFollowed(service, args.garden);
    const found = await findCommit(service, garden, args.commit, 'waiting');
    const params = { id: garden.id, commit_id: found.id };
    let planHash = input;
    if (asks) {
      const { data } = await service.call('gardens.commit', { params });
      terminal.note(commitText(world, data));
      planHash ??= data.plan_hash ?? undefined;
      const changes = count(data.plan?.changes.length ?? 0, 'change');
      if (!(await agree(world, `Apply ${changes} to ${garden.name}?`, false))) {
        terminal.note('Nothing was changed.\n');
        return 'ok';
      }
    }
    const begun = await approve(service, params, planHash ?? '', garden);
    const again = `hortus gardens commit ${garden.name} ${shortSha(begun.sha)}`;
    if (!wait) return printDone({ json, world }, begun, `${commitTitle(begun)} is approved. See it with: ${again}`);
    const unfinished = `The service goes on applying it. See it with: ${again}`;
    world.leaving(unfinished);
    const end = await followCommit(service, begun, world, { timeout, unfinished, quiet: json });
    return printEnd({ json, world }, garden, end);
  },
});

async function approve(
  service: Client,
  params: { id: string; commit_id: string },
  plan_hash: string,
  { name }: Pick<Garden, 'name'>,
): Promise<GardenCommit> {
  try {
    return (await service.call('gardens.approve', { params, body: { plan_hash } })).data;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.details?.reason !== 'stale') throw error;
    throw new Failure('refused', 'The plan has changed since. Nothing was changed.', {
      hint: `Look at the new one: hortus gardens commit ${name}`,
      problem: error,
    });
  }
}

function printEnd(
  { json, world }: { readonly json: boolean; readonly world: World },
  { name }: Pick<Garden, 'name'>,
  commit: GardenCommit,
): Exit {
  const done = commit.status === 'applied';
  if (json) printJson(world.terminal, commit);
  else if (done) world.terminal.out(`${name} is as ${commitTitle(commit)} says.\n`);
  else world.terminal.out(`${commitTitle(commit)} is ${commit.status}. ${safeLine(commit.error ?? '')}\n`);
  return done ? 'ok' : 'failed';
}

export const gardensReject = command({
  name: 'gardens reject',
  summary: 'Reject a commit that waits for an approval',
  args: ['garden', 'commit?'],
  options: {
    comment: { type: 'string', value: 'text', about: 'Why, for the other people of the account.' },
    yes: { type: 'boolean', short: 'y', about: 'Skip the confirmation.' },
  },
  examples: [["hortus gardens reject home --comment 'The shop moves first.'", 'Nothing is changed.']],
  calls: ['gardens.list', 'gardens.commits', 'gardens.reject'],
  async run(call) {
    const client = await call.client();
    const garden = await findFollowed(client, call.args.garden);
    const commit = await findCommit(client, garden, call.args.commit, 'waiting');
    if (!(await agree(call.world, `Reject ${commitTitle(commit)}?`, call.options.yes)))
      return printDone(call, commit, 'Nothing was changed.');
    const { comment } = call.options;
    const params = { id: garden.id, commit_id: commit.id };
    const { data } = await client.call('gardens.reject', { params, body: comment === undefined ? {} : { comment } });
    return printDone(call, data, `${commitTitle(data)} is rejected; nothing was changed.`);
  },
});
