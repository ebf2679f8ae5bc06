// biome-ignore-all lint/a11y/useSemanticElements: rows of a table element cannot be placed by a position
// biome-ignore-all lint/a11y/useFocusableInteractive: the links and buttons in the rows take the focus
import { useListSearch } from '../../parts/list-search.ts';

/** Heading of a column; with `sort` it orders the list by it, first up, then down, then not. */
export function SortHeading({ name, sort }: { name: string; sort?: string }) {
  const [search, change] = useListSearch('/frame/instances');
  if (sort === undefined)
    return (
      <div role="columnheader" className="not-on-phone">
        {name}
      </div>
    );
  const direction = search.sort === sort ? 'ascending' : search.sort === `-${sort}` ? 'descending' : 'none';
  const next = { none: sort, ascending: `-${sort}`, descending: undefined }[direction];
  return (
    <div role="columnheader" aria-sort={direction}>
      <button type="button" onClick={() => change({ sort: next })}>
        {name} <span aria-hidden="true">{{ ascending: '↑', descending: '↓', none: '' }[direction]}</span>
      </button>
    </div>
  );
}
