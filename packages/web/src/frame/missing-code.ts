/** Errors of imports whose file did not arrive. */
const lost = new WeakSet<object>();

export const noteMissingCode = (): void =>
  addEventListener('vite:preloadError', (event) => void lost.add((event as VitePreloadErrorEvent).payload));

export const isMissingCode = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && lost.has(error);

/** Loads the page again, after a pause if it was loaded again before; inline-scripts/load-again.js does it. */
export const loadAgain = (): void => void dispatchEvent(new Event('hortus:load-again'));
