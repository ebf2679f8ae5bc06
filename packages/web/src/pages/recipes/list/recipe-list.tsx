import type { Recipe } from '@hortus/contract/resources/recipes';
import { Link } from '@tanstack/react-router';
import { counted } from '../../../parts/amount.ts';
import { Mark } from '../../../parts/mark.tsx';
import { Status, Tag } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { recipeTones } from '../recipe-tones.ts';

/** Recipes as a table. `withState` shows where each stands in the review. */
export function RecipeList({
  recipes,
  pagination,
  withState,
}: {
  recipes: readonly Recipe[];
  pagination: { page: number; total: number; total_pages: number };
  withState?: boolean;
}) {
  return (
    <div className="sheet">
      <Table
        label="Recipes"
        columns={withState ? [NAME, STATE, CHECKED, AUTHOR, AGE] : [NAME, AUTHOR, VOTES, AGE]}
        rows={recipes}
        pagination={pagination}
      />
    </div>
  );
}

const NAME: Column<Recipe> = {
  name: 'Name',
  cell: ({ id, slug, name, description }) => (
    <span className="flex items-center gap-2.5 py-1.5">
      <Mark species={slug} family={null} size={28} />
      <span className="min-w-0">
        <Link to="/recipes/$id" params={{ id }} className="row-link">
          <b className="[overflow-wrap:anywhere]">{name}</b>
        </Link>
        <span className="line-clamp-1 text-ink-3">{description}</span>
      </span>
    </span>
  ),
};
const AUTHOR: Column<Recipe> = { name: 'From', wide: true, cell: ({ author, mine }) => (mine ? 'you' : author) };
const VOTES: Column<Recipe> = {
  name: 'Upvotes',
  cell: ({ upvotes, upvoted }) => <span className={upvoted ? 'text-ok-ink' : ''}>{counted(upvotes, 'upvote')}</span>,
};
const STATE: Column<Recipe> = {
  name: 'State',
  cell: ({ status }) => <Status state={status} tone={recipeTones[status]} />,
};
const CHECKED: Column<Recipe> = {
  name: 'Spec',
  wide: true,
  cell: ({ valid }) => (valid ? <Tag tone="leaf">valid</Tag> : <Tag tone="bad">has errors</Tag>),
};
const AGE: Column<Recipe> = { name: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> };
