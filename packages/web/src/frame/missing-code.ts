const PLACE = 'reloaded for missing code';
const PAUSE_MS = 10_000;

/**
 * Loads the page again if a file of its code does not arrive: an update of the service renames the files, and a change
 * of the network cuts requests. Pauses between two reloads, so that a broken build does not repeat them without end.
 */
export function reloadForMissingCode(): void {
  window.addEventListener('vite:preloadError', () => {
    if (Date.now() - Number(sessionStorage.getItem(PLACE)) < PAUSE_MS) return;
    sessionStorage.setItem(PLACE, String(Date.now()));
    location.reload();
  });
}
