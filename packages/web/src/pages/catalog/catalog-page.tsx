import type { CatalogShelf, ShelfItem } from '@hortus/contract/resources/catalog';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Empty, Page } from '../../parts/page.tsx';
import { sentenceCase } from '../../parts/status.tsx';
import { Trouble } from '../../parts/waiting.tsx';
import { Kinds } from './kinds.tsx';
import { findSpecies } from './search.ts';
import { SpeciesCards, WaitingRows } from './species-cards.tsx';

export function CatalogPage(): ReactNode {
  const query = useApi('catalog.shelf');
  const row = query.data?.data;
  return (
    <Page title="Catalog" actions={<Doing />}>
      <div className="mb-8 flex flex-wrap items-center gap-4">
        <Search count={row?.species.length} />
        <Kingdoms row={row} />
      </div>
      {query.error && <Trouble error={query.error} />}
      {row ? <CatalogRows row={row} /> : !query.error && <WaitingRows />}
    </Page>
  );
}

function Doing() {
  const may = useMay();
  return (
    <>
      {may('templates:read') && (
        <Link to="/templates" className="btn">
          Your templates
        </Link>
      )}
      <ImportLink />
    </>
  );
}

function ImportLink() {
  const may = useMay();
  if (!may('templates:write')) return null;
  return (
    <Link to="/templates/import" className="btn">
      Import a Compose file…
    </Link>
  );
}

function Search({ count }: { count: number | undefined }) {
  const [{ q = '' }, change] = useListSearch('/frame/catalog');
  return (
    <div className="big-search">
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search the catalog"
        placeholder={`Search ${count ?? 'all'} species, or say what you need`}
        autoComplete="off"
        spellCheck={false}
        value={q}
        onChange={(event) => change({ q: event.target.value || undefined })}
      />
      <kbd className="max-phone:hidden">/</kbd>
    </div>
  );
}

const kingdomsOf = (row: CatalogShelf | undefined) => [...new Set(row?.families.map(({ kingdom }) => kingdom))];

function Kingdoms({ row }: { row: CatalogShelf | undefined }) {
  const [{ kingdom, q }] = useListSearch('/frame/catalog');
  return (
    <nav className="segments" aria-label="Kingdom">
      {[undefined, ...kingdomsOf(row)].map((text) => (
        <Link
          key={text ?? ''}
          to="/catalog"
          search={{ kingdom: text, q }}
          activeOptions={{ exact: true }}
          aria-current={kingdom === text ? 'true' : undefined}
        >
          {text === undefined ? 'All' : sentenceCase(text)}
        </Link>
      ))}
    </nav>
  );
}

function CatalogRows({ row }: { row: CatalogShelf }) {
  const [{ q = '', kingdom, family }] = useListSearch('/frame/catalog');
  const growing = useGrowing();
  const inKingdom = row.species.filter((item) => kingdom === undefined || item.kingdom === kingdom);
  const shown = findSpecies(q, inKingdom, row.families).filter(
    (item) => family === undefined || item.family === family,
  );
  // A family may stand in two kingdoms, for example by a template of the account.
  const counts = Map.groupBy(inKingdom, (item) => `${item.kingdom} ${item.family}`);
  const families = row.families.filter((family) => kingdom === undefined || family.kingdom === kingdom);
  return (
    <div className="catalog-columns">
      <FamilyList row={row} />
      <div>
        <p className="sr-only" role="status">
          {q ? `${shown.length} species found` : ''}
        </p>
        {q ? (
          <Found question={q} species={shown} growing={growing} />
        ) : (
          <Kinds
            kinds={families.filter((item) => family === undefined || item.family === family)}
            counts={counts}
            isWhole={family !== undefined}
            growing={growing}
          />
        )}
      </div>
    </div>
  );
}

function Found({
  question,
  species,
  growing,
}: {
  question: string;
  species: readonly ShelfItem[];
  growing: ReadonlyMap<string, number>;
}) {
  if (species.length === 0)
    return (
      <Empty title="No species has all of these words." action={<ImportLink />}>
        Search by name, by family, or by what you need: “newsletter”, “photos”, “postgres”. What is not in the catalog
        can become a template of your own from its Compose file.
      </Empty>
    );
  return (
    <SpeciesCards
      title={`${species.length.toLocaleString()} found`}
      species={species}
      growing={growing}
      question={question.trim()}
    />
  );
}

function FamilyList({ row: category }: { row: CatalogShelf }) {
  const [{ kingdom, family }] = useListSearch('/frame/catalog');
  return (
    <nav className="families" aria-label="Families">
      {kingdomsOf(category)
        .filter((text) => kingdom === undefined || text === kingdom)
        .map((text) => (
          <section key={text} aria-label={sentenceCase(text)}>
            <h2>{sentenceCase(text)}</h2>
            <ul>
              {category.families
                .filter((row) => row.kingdom === text)
                .map((row) => (
                  <li key={row.family}>
                    <Link
                      to="/catalog"
                      search={{ kingdom, family: row.family === family ? undefined : row.family }}
                      activeOptions={{ exact: true }}
                      aria-current={row.family === family ? 'true' : undefined}
                    >
                      <span>{row.name}</span>
                      <span>{row.count}</span>
                    </Link>
                  </li>
                ))}
            </ul>
          </section>
        ))}
    </nav>
  );
}

/** How many instances of each species there are; the frame has read them already. */
function useGrowing(): ReadonlyMap<string, number> {
  const instances = useApi('overview.read').data?.data.instances ?? [];
  return new Map([...Map.groupBy(instances, ({ species }) => species)].map(([species, of]) => [species, of.length]));
}
