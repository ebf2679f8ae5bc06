import type { recipeEndpoints } from '@hortus/contract/resources/recipes';
import type { Handlers } from '../../http/handler.ts';
import type { RecipeReview } from './review.ts';
import type { Recipes } from './service.ts';

export const recipeRoutes = (recipes: Recipes, review: RecipeReview): Handlers<keyof typeof recipeEndpoints> => ({
  'recipes.list': async ({ principal, query }) => ({
    success: true,
    ...(await recipes.list(principal, { status: 'approved' }, query.sort ?? 'newest', query)),
  }),
  'recipes.bySlug': async ({ principal, params }) => ({
    success: true,
    data: await recipes.readBySlug(principal, params.slug),
  }),
  'recipes.mine': async ({ principal, query }) => {
    const filter = { accountId: principal.accountId, status: query.status };
    return { success: true, ...(await recipes.list(principal, filter, 'newest', query)) };
  },
  'recipes.pending': async ({ principal, query }) => ({
    success: true,
    ...(await recipes.list(principal, { status: 'pending' }, 'oldest', query)),
  }),
  'recipes.read': async ({ principal, params }) => ({ success: true, data: await recipes.read(principal, params.id) }),
  'recipes.submit': async ({ principal, body, write }) => {
    const draft = await recipes.draft(principal, body.slug, body.spec);
    return write(async (tx) => ({ success: true, data: await recipes.submit(tx, principal, body, draft) }));
  },
  'recipes.edit': async ({ principal, params, body, write }) => {
    const draft = await recipes.redraft(principal, params.id, body.spec);
    return write(async (tx) => ({ success: true, data: await recipes.edit(tx, principal, params.id, body, draft) }));
  },
  'recipes.upvote': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await recipes.upvote(tx, principal, params.id) })),
  'recipes.withdraw': async ({ principal, params, write }) => {
    const response = await write(async (tx) => ({
      success: true,
      data: await recipes.withdraw(tx, principal, params.id),
    }));
    await review.settle();
    return response;
  },
  'recipes.delete': async ({ principal, params, write }) => {
    const response = await write(async (tx) => ({
      success: true,
      data: await recipes.remove(tx, principal, params.id),
    }));
    await review.settle();
    return response;
  },
  'recipes.approve': async ({ principal, params, write }) => {
    const examined = await review.examine(principal, params.id);
    const response = await write(async (tx) => ({
      success: true,
      data: await review.approve(tx, principal, params.id, examined),
    }));
    await review.settle();
    return response;
  },
  'recipes.reject': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await review.reject(tx, principal, params.id, body.reason ?? null) })),
});
