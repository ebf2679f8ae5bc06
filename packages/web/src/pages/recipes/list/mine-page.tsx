import { recipeMachine } from '@hortus/contract/machines/recipe';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/query.ts';
import { Filter } from '../../../parts/filters.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty } from '../../../parts/page.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { RecipeList } from './recipe-list.tsx';
import { RecipesFrame } from './recipes-frame.tsx';

/** Recipes of the account, in any state. */
export function MinePage(): ReactNode {
  const [search] = useListSearch('/frame/recipes/mine');
  const status = recipeMachine.states.find((state) => state === search.status);
  const query = useApi('recipes.mine', { query: { page: search.page ?? 1, ...(status && { status }) } });
  return (
    <RecipesFrame title="My recipes">
      <div className="filters">
        <Filter name="status" label="State" options={recipeMachine.states} />
      </div>
      <Loaded query={query} lines={6}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={status ? `None of yours is ${status}.` : 'You have submitted nothing yet.'}>
              Write a template, submit it, and read what the validator says at once. Until it is reviewed you can change
              it.
            </Empty>
          ) : (
            <RecipeList recipes={data} pagination={pagination} withState />
          )
        }
      </Loaded>
    </RecipesFrame>
  );
}
