import type { ShelfItem } from '@hortus/contract/resources/catalog';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import { Matched } from '../../frame/matched.tsx';
import { memory } from '../../parts/amount.ts';
import { Logo } from '../../parts/logo.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Tag } from '../../parts/status.tsx';

/** Pixels of the heading and of one card, and cards in a row, on a wide screen. */
const HEAD = 42;
const CARD = 193;
const PER_ROW = 4;

/** One shelf of the catalog: species beside each other, separated by hairlines. */
export function SpeciesCards({
  title,
  more,
  species,
  growing,
  question = '',
}: {
  title: string;
  more?: ReactNode;
  species: readonly ShelfItem[];
  growing: ReadonlyMap<string, number>;
  /** Underlined in the names. */
  question?: string;
}) {
  return (
    <section
      className="shelf"
      aria-label={title}
      // Its size before it is drawn, so that the page keeps its length while it is scrolled.
      style={{ containIntrinsicSize: `auto ${HEAD + Math.ceil(species.length / PER_ROW) * CARD}px` }}
    >
      <div className="shelf-head">
        <h2>{title}</h2>
        {more}
      </div>
      <ul className="cards">
        {species.map((item) => (
          <li key={item.species} className="card-place">
            <Card item={item} growing={growing.get(item.species) ?? 0} question={question} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const Card = memo(function Card({ item, growing, question }: { item: ShelfItem; growing: number; question: string }) {
  // Not preloaded: a pointer that crosses the shelves would read every species on its way.
  return (
    <Link to="/catalog/$species" params={{ species: item.species }} preload={false} className="card">
      <span className="mark">
        <Mark species={item.species} family={item.family} size={64} />
      </span>
      {item.logo_url !== null && <Logo url={item.logo_url} size={28} />}
      <span className="card-name">
        <Matched text={item.name} query={question} />
        <small>{item.app_version ?? item.version}</small>
      </span>
      <p>{item.description}</p>
      <span className="card-foot">
        {item.memory_bytes !== null && <span>from {memory(item.memory_bytes)}</span>}
        {item.own && <Tag>yours</Tag>}
        {item.deprecated && <Tag tone="warn">deprecated</Tag>}
        {growing > 0 && <b>{growing.toLocaleString()} growing</b>}
      </span>
    </Link>
  );
});

/** As high as the shelves that will be here. */
export function WaitingRows() {
  return (
    <div className="catalog-columns" aria-hidden="true">
      <div className="families" />
      <div>
        {Array.from({ length: 4 }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the shelves have no identity yet
          <div key={row} className="mb-[34px]">
            <div className="shelf-head">
              <span className="skeleton my-[7px] w-24" />
            </div>
            <div className="h-[193px]" />
          </div>
        ))}
      </div>
    </div>
  );
}
