import { recipeMachine } from '@hortus/contract/machines/recipe';
import type { Lifecycle } from '../../state/transition.ts';

export const recipeLifecycle: Lifecycle<typeof recipeMachine, 'recipes'> = {
  machine: recipeMachine,
  table: 'recipes',
  resource: 'recipe',
  guards: { valid: (row) => row.valid === 1 },
  accountOf: (row) => row.account_id,
  eventData: (row) => ({
    recipe_id: row.id,
    slug: row.slug,
    name: row.name,
    status: row.status,
    template_id: row.template_id,
  }),
};
