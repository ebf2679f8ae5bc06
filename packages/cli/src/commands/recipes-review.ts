import type { EndpointName } from '@hortus/contract/endpoints';
import { command } from '../command.ts';
import { Failure } from '../failure.ts';
import { printDone } from '../printing.ts';

type Move = Extract<EndpointName, 'recipes.upvote' | 'recipes.withdraw' | 'recipes.approve'>;

/** What is done to a recipe with nothing but its id. */
const move = (name: string, endpoint: Move, summary: string, does: string, words: (slug: string) => string) =>
  command({
    name: `recipes ${name}`,
    summary,
    args: ['recipe'],
    examples: [[`hortus recipes ${name} rcp_01j9zq3v5t8x2m4n6p7r9s0abc`, does]],
    calls: [endpoint],
    async run(call) {
      const { data } = await (await call.client()).call(endpoint, { params: { id: call.args.recipe } });
      return printDone(call, data, words(data.slug));
    },
  });

export const recipesUpvote = move(
  'upvote',
  'recipes.upvote',
  'Give a recipe your vote',
  'Each user has one.',
  (slug) => `${slug} has your vote.`,
);

export const recipesWithdraw = move(
  'withdraw',
  'recipes.withdraw',
  'Take a recipe back',
  'A published template stays, marked as deprecated.',
  (slug) => `${slug} is withdrawn.`,
);

export const recipesApprove = move(
  'approve',
  'recipes.approve',
  'Publish a recipe for everybody; for admins',
  'Validates it once more.',
  (slug) => `${slug} is in the catalog.`,
);

export const recipesReject = command({
  name: 'recipes reject',
  summary: 'Reject a recipe and say why; for admins',
  args: ['recipe'],
  options: { reason: { type: 'string', value: 'text', about: 'What its author is told.' } },
  examples: [
    [
      "hortus recipes reject rcp_01j9zq3v5t8x2m4n6p7r9s0abc --reason 'The image cannot be pulled.'",
      'The author can submit it anew.',
    ],
  ],
  calls: ['recipes.reject'],
  async run(call) {
    const { reason } = call.options;
    if (reason === undefined) throw new Failure('usage', 'Say why with --reason.');
    const { data } = await (await call.client()).call('recipes.reject', {
      params: { id: call.args.recipe },
      body: { reason },
    });
    return printDone(call, data, `${data.slug} is rejected.`);
  },
});
