import type { EndpointName } from '@hortus/contract/endpoints';
import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';

type Move = Extract<EndpointName, 'recipes.upvote' | 'recipes.withdraw' | 'recipes.approve'>;

/** Builds a command that takes only the id of a recipe. */
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
  'Vote for a recipe',
  'One vote per user.',
  (slug) => `You voted for ${slug}.`,
);

export const recipesWithdraw = move(
  'withdraw',
  'recipes.withdraw',
  'Withdraw a recipe',
  'A published template stays but is marked as deprecated.',
  (slug) => `${slug} is withdrawn.`,
);

export const recipesApprove = move(
  'approve',
  'recipes.approve',
  'Approve and publish a recipe (admins only)',
  'Validates it again.',
  (slug) => `${slug} is in the catalog.`,
);

export const recipesReject = command({
  name: 'recipes reject',
  summary: 'Reject a recipe with a reason (admins only)',
  args: ['recipe'],
  options: { reason: { type: 'string', value: 'text', about: 'Reason shown to the author.' } },
  examples: [
    [
      "hortus recipes reject rcp_01j9zq3v5t8x2m4n6p7r9s0abc --reason 'The image cannot be pulled.'",
      'The author can submit it again.',
    ],
  ],
  calls: ['recipes.reject'],
  async run(call) {
    const { reason } = call.options;
    if (reason === undefined) throw new Failure('usage', 'Give a reason with --reason.');
    const { data } = await (await call.client()).call('recipes.reject', {
      params: { id: call.args.recipe },
      body: { reason },
    });
    return printDone(call, data, `${data.slug} is rejected.`);
  },
});
