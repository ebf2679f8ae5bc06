import type { Category, ShelfItem } from '@hortus/contract/resources/catalog';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { SpeciesCards } from './species-cards.tsx';

/** Species of one shelf before "All". */
const PER_ROW = 4;

/** A shelf for each family; small families of a kingdom share one, so that the page is not mostly empty. */
export function Kinds({
  kinds,
  counts,
  isWhole,
  growing,
}: {
  kinds: readonly Category[];
  counts: ReadonlyMap<string, readonly ShelfItem[]>;
  isWhole: boolean;
  growing: ReadonlyMap<string, number>;
}) {
  const of = ({ kingdom, family }: Category) => counts.get(`${kingdom} ${family}`) ?? [];
  const isSmall = (category: Category) => !isWhole && of(category).length < PER_ROW;
  return [...Map.groupBy(kinds, ({ kingdom }) => kingdom)].map(([kingdom, all]) => {
    const rest = all.filter(isSmall).flatMap(of);
    return (
      <Fragment key={kingdom}>
        {all
          .filter((item) => !isSmall(item))
          .map((item) => (
            <Kind key={item.family} kind={item} species={of(item)} isWhole={isWhole} growing={growing} />
          ))}
        {rest.length > 0 && <SpeciesCards title={`More ${kingdom}`} species={rest} growing={growing} />}
      </Fragment>
    );
  });
}

function Kind({
  kind: { family, name, description },
  species,
  isWhole,
  growing,
}: {
  kind: Category;
  species: readonly ShelfItem[];
  isWhole: boolean;
  growing: ReadonlyMap<string, number>;
}) {
  const isAll = isWhole || species.length <= PER_ROW;
  const more = isAll ? (
    <span className="text-ink-3 max-phone:hidden">{description}</span>
  ) : (
    <Link to="/catalog" search={{ family }} activeOptions={{ exact: true }}>
      All {species.length}
      <span className="sr-only"> of {name}</span>
    </Link>
  );
  return <SpeciesCards title={name} more={more} species={isAll ? species : best(species)} growing={growing} />;
}

/** Featured species first; the others keep their order by name. */
const best = (species: readonly ShelfItem[]) =>
  [...species].sort((a, b) => Number(b.featured) - Number(a.featured)).slice(0, PER_ROW);
