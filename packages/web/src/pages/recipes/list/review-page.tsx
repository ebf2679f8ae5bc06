import type { ReactNode } from 'react';
import { useApiWhen } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty } from '../../../parts/page.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { RecipeList } from './recipe-list.tsx';
import { RecipesFrame } from './recipes-frame.tsx';

/** The review queue of administrators, oldest first. */
export function ReviewPage(): ReactNode {
  const [search] = useListSearch('/frame/recipes/review');
  const mayReview = useMay()('admin');
  const query = useApiWhen(mayReview, 'recipes.pending', { query: { page: search.page ?? 1 } });
  if (!mayReview)
    return (
      <RecipesFrame title="Review">
        <Empty title="Only administrators review recipes.">Yours are under Mine.</Empty>
      </RecipesFrame>
    );
  return (
    <RecipesFrame title="Review">
      <Loaded query={query} lines={6}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="Nothing waits for a review.">Submitted recipes appear here, the oldest first.</Empty>
          ) : (
            <RecipeList recipes={data} pagination={pagination} withState />
          )
        }
      </Loaded>
    </RecipesFrame>
  );
}
