import type { ReactNode } from 'react';
import { useApi } from '../../../api/query.ts';
import { FilterSelect } from '../../../parts/filter-choice.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty } from '../../../parts/page.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { RecipeList } from './recipe-list.tsx';
import { RecipesFrame } from './recipes-frame.tsx';

/** Approved recipes of everybody on this installation. */
export function BrowsePage(): ReactNode {
  const [search] = useListSearch('/frame/recipes');
  const sort = search.order === 'upvotes' ? 'upvotes' : 'newest';
  const query = useApi('recipes.list', { query: { page: search.page ?? 1, sort } });
  return (
    <RecipesFrame title="Recipes">
      <div className="filters">
        <FilterSelect
          name="order"
          label="Order"
          all="Newest first"
          choices={[{ value: 'upvotes', label: 'Most upvotes first' }]}
        />
      </div>
      <Loaded query={query} lines={8}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No recipes yet.">
              A recipe is a template that a person shares with all accounts. After a review it appears here and in the
              catalog, with its author.
            </Empty>
          ) : (
            <RecipeList recipes={data} pagination={pagination} />
          )
        }
      </Loaded>
    </RecipesFrame>
  );
}
