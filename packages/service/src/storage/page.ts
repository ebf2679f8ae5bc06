import { pausing } from '../process/pausing.ts';
import { RecentValues } from './recent-values.ts';

/** Request of a page. The contract fills in the defaults. */
export interface PageRequest {
  readonly page?: number;
  readonly per_page?: number;
}

export interface Page<Item> {
  readonly data: Item[];
  readonly pagination: { page: number; per_page: number; total: number; total_pages: number };
}

export interface Listing<Item> {
  rows(limit: number, offset: number): Promise<Item[]>;
  /** Does the work of `rows` and `count` in one round trip. The count is undefined if there are no rows. */
  rowsAndCount?(limit: number, offset: number, atMost: number): Promise<{ rows: Item[]; count: number | undefined }>;
  /** Counts the rows up to `atMost`. */
  count(atMost: number): Promise<number>;
  /** Identifies the list and its filters; lists with the same key share a count. */
  readonly countKey: string;
}

type AllowLag = <T>(work: () => Promise<T>) => Promise<T>;

/** Totals are exact up to this number; beyond, counting would cost more than the page itself. */
export const EXACT_UP_TO = 10_000;

/**
 * Reads pages. A total beyond 10,000 is cached for 10 seconds and renewed in the background during the last five, so
 * that frequently requested pages of a million rows cost as much as those of a thousand.
 */
export class Pages {
  readonly #totals: RecentValues<number>;
  readonly #allowLag: AllowLag;

  constructor(clock: () => number = Date.now, allowLag: AllowLag = (work) => work()) {
    this.#totals = new RecentValues(clock);
    this.#allowLag = allowLag;
  }

  /** Returns a page of a list; `recordOf` maps its rows. */
  read<Row, Item = Row>(
    request: PageRequest,
    listing: Listing<Row>,
    recordOf: (row: Row) => Item = (row) => row as never,
  ): Promise<Page<Item>> {
    return this.#allowLag(() => this.#read(request, listing, recordOf));
  }

  async #read<Row, Item>(
    request: PageRequest,
    listing: Listing<Row>,
    recordOf: (row: Row) => Item,
  ): Promise<Page<Item>> {
    const { page = 1, per_page = 20 } = request;
    const offset = (page - 1) * per_page;
    const isKnown = this.#totals.has(listing.countKey);
    const { rows, count } =
      isKnown || !listing.rowsAndCount
        ? { rows: await listing.rows(per_page, offset), count: undefined }
        : await listing.rowsAndCount(per_page, offset, EXACT_UP_TO + 1);
    // The last page determines the total.
    const isLast = rows.length < per_page && (rows.length > 0 || offset === 0);
    const total = isLast ? offset + rows.length : await this.#total(listing, count);
    const pagination = { page, per_page, total, total_pages: Math.ceil(total / per_page) };
    return { data: await mapInTurns(rows, recordOf), pagination };
  }

  async #total<Row>(listing: Listing<Row>, counted: number | undefined): Promise<number> {
    const { countKey } = listing;
    const total = this.#totals.has(countKey) ? undefined : (counted ?? (await listing.count(EXACT_UP_TO + 1)));
    if (total !== undefined && total <= EXACT_UP_TO) return total;
    return await this.#totals.get(countKey, () => listing.count(Number.MAX_SAFE_INTEGER), isLong);
  }
}

/** Maps rows, each of which can contain hundreds of kilobytes that callers wrote; lets the event loop serve others in between. */
export async function mapInTurns<Row, Item>(
  rows: readonly Row[],
  recordOf: (row: Row, index: number) => Item,
): Promise<Item[]> {
  const items: Item[] = [];
  const pause = pausing();
  for (const [index, row] of rows.entries()) {
    items.push(recordOf(row, index));
    const turn = pause();
    if (turn) await turn;
  }
  return items;
}

const isLong = (total: number): boolean => total > EXACT_UP_TO;

/** Returns a page of a list in memory. */
export function slice<Item>(items: readonly Item[], { page = 1, per_page = 20 }: PageRequest): Page<Item> {
  const total = items.length;
  const data = items.slice((page - 1) * per_page, page * per_page);
  return { data, pagination: { page, per_page, total, total_pages: Math.ceil(total / per_page) } };
}
