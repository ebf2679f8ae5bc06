import type { CatalogShelf, ShelfItem } from '@hortus/contract/resources/catalog';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { PlaceLink } from '../../frame/place-link.tsx';
import { useHasPlace } from '../../frame/places.ts';
import { Icon } from '../../parts/icon.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { Empty, Page } from '../../parts/page.tsx';
import { sentenceCase } from '../../parts/status.tsx';
import { Trouble } from '../../parts/waiting.tsx';
import { Kinds } from './kinds.tsx';
import { findSpecies } from './search.ts';
import { Shelf, WaitingShelves } from './shelf.tsx';

export function CatalogPage() {
  const query = useApi('catalog.shelf');
  const shelf = query.data?.data;
  return (
    <Page title="Catalog" actions={<Doing />}>
      <div className="mb-8 flex flex-wrap items-center gap-4">
        <Search count={shelf?.species.length} />
        <Kingdoms shelf={shelf} />
      </div>
      {query.error && <Trouble error={query.error} />}
      {shelf ? <Shelves shelf={shelf} /> : !query.error && <WaitingShelves />}
    </Page>
  );
}

function Doing() {
  const may = useMay();
  const exists = useHasPlace();
  return (
    <>
      {may('templates:read') && exists('/templates') && (
        <PlaceLink to="/templates" className="btn">
          Your templates
        </PlaceLink>
      )}
      <ImportLink />
    </>
  );
}

function ImportLink() {
  const may = useMay();
  const exists = useHasPlace();
  if (!may('templates:write') || !exists('/templates/import')) return null;
  return (
    <PlaceLink to="/templates/import" className="btn">
      Import a Compose file…
    </PlaceLink>
  );
}

function Search({ count }: { count: number | undefined }) {
  const [{ q = '' }, change] = useListSearch();
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

const kingdomsOf = (shelf: CatalogShelf | undefined) => [...new Set(shelf?.families.map(({ kingdom }) => kingdom))];

function Kingdoms({ shelf }: { shelf: CatalogShelf | undefined }) {
  const [{ kingdom, q }] = useListSearch();
  return (
    <nav className="segments" aria-label="Kingdom">
      {[undefined, ...kingdomsOf(shelf)].map((one) => (
        <Link
          key={one ?? ''}
          to="/catalog"
          search={{ kingdom: one, q } as never}
          activeOptions={{ exact: true }}
          aria-current={kingdom === one ? 'true' : undefined}
        >
          {one === undefined ? 'All' : sentenceCase(one)}
        </Link>
      ))}
    </nav>
  );
}

function Shelves({ shelf }: { shelf: CatalogShelf }) {
  const [{ q = '', kingdom, family }] = useListSearch();
  const growing = useGrowing();
  const inKingdom = shelf.species.filter((item) => kingdom === undefined || item.kingdom === kingdom);
  const shown = findSpecies(String(q), inKingdom, shelf.families).filter(
    (item) => family === undefined || item.family === family,
  );
  // A family may stand in two kingdoms, for example by a template of the account.
  const counts = Map.groupBy(inKingdom, (item) => `${item.kingdom} ${item.family}`);
  const families = shelf.families.filter((one) => kingdom === undefined || one.kingdom === kingdom);
  return (
    <div className="catalog-columns">
      <FamilyList shelf={shelf} />
      <div>
        <p className="sr-only" role="status">
          {q ? `${shown.length} species found` : ''}
        </p>
        {q ? (
          <Found question={String(q)} species={shown} growing={growing} />
        ) : (
          <Kinds
            kinds={families.filter((one) => family === undefined || one.family === family)}
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
    <Shelf
      title={`${species.length.toLocaleString()} found`}
      species={species}
      growing={growing}
      question={question.trim()}
    />
  );
}

function FamilyList({ shelf }: { shelf: CatalogShelf }) {
  const [{ kingdom, family }] = useListSearch();
  return (
    <nav className="families" aria-label="Families">
      {kingdomsOf(shelf)
        .filter((one) => kingdom === undefined || one === kingdom)
        .map((one) => (
          <section key={one} aria-label={sentenceCase(one)}>
            <h2>{sentenceCase(one)}</h2>
            <ul>
              {shelf.families
                .filter((row) => row.kingdom === one)
                .map((row) => (
                  <li key={row.family}>
                    <Link
                      to="/catalog"
                      search={{ kingdom, family: row.family === family ? undefined : row.family } as never}
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
