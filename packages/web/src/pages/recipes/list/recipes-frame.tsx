import type { ReactNode } from 'react';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useCurrentSearch } from '../../../parts/list-search.ts';
import { Page } from '../../../parts/page.tsx';
import { type PageTab, PageTabs } from '../../../parts/page-tabs.tsx';
import { RecipeForm } from './recipe-form.tsx';

/** The heading and the tabs of the recipes; the review queue only for those who review. */
export function RecipesFrame({ title, children }: { title: string; children: ReactNode }) {
  const may = useMay();
  const [search, change] = useCurrentSearch();
  const mayWrite = may('recipes:write');
  const tabs: PageTab[] = [
    { name: 'Browse', to: '/recipes' },
    { name: 'Mine', to: '/recipes/mine' },
    ...(may('admin') ? ([{ name: 'Review', to: '/recipes/review' }] as const) : []),
  ];
  return (
    <Page
      title={title}
      sentence="Recipes"
      actions={
        mayWrite && (
          <Button kind="primary" onClick={() => change({ new: 'recipe' })}>
            <Icon name="plus" />
            Submit a recipe…
          </Button>
        )
      }
    >
      <PageTabs label="Recipes" tabs={tabs} />
      <h2 className="sr-only">{title}</h2>
      {children}
      {mayWrite && search.new === 'recipe' && <RecipeForm onClose={() => change({ new: undefined })} />}
    </Page>
  );
}
