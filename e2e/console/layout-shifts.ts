import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Counts, from the next navigation on, how far content moves after it was drawn. */
export const countShifts = (page: Page): Promise<unknown> => page.addInitScript(count);

/** Expects that nothing moved since the navigation; the failure names what did. */
export async function expectNoShift(page: Page, where: string): Promise<void> {
  const { shift, what } = await page.evaluate<Moved>('globalThis.moved');
  expect(shift, `${where} moves: ${what.join(', ')}`).toBeLessThan(0.02);
}

interface Moved {
  shift: number;
  /** The elements that moved. */
  readonly what: string[];
}

/** Runs in the page. */
function count(): void {
  const moved: Moved = { shift: 0, what: [] };
  Object.assign(globalThis, { moved });
  const add = ({ value, sources }: Shift) => {
    moved.shift += value;
    for (const { node, previousRect, currentRect } of sources)
      moved.what.push(`${node?.nodeName} ${node?.className} from ${previousRect.y} to ${currentRect.y}`);
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) add(entry as unknown as Shift);
  }).observe({ type: 'layout-shift' as never, buffered: true });
}

/** A layout shift, which the types of Node do not know. */
interface Shift {
  readonly value: number;
  readonly sources: readonly {
    readonly node: { readonly nodeName: string; readonly className: string } | null;
    readonly previousRect: { readonly y: number };
    readonly currentRect: { readonly y: number };
  }[];
}
