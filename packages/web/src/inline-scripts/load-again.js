// Loads the page again if a file of the console does not arrive: a change of the network cuts requests, as each new
// container does on the machine that it runs on, and an update of the service renames the files. The page contains this
// script, because a script of its own file could be cut too. The pause doubles, so that a broken build does not reload
// without end; after a minute without trouble it starts over.
(() => {
  const KEY = 'hortus.reloads';
  const MAX_PAUSE_MS = 30_000;
  let waiting = false;

  const earlier = () => {
    try {
      const { count, at } = JSON.parse(sessionStorage.getItem(KEY)) ?? {};
      return Date.now() - at < 60_000 ? count : 0;
    } catch {
      // Storage is blocked: the pause is always the same.
      return 3;
    }
  };

  const keep = (count) => {
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ count, at: Date.now() }));
    } catch {}
  };

  const loadAgain = () => {
    if (waiting) return;
    waiting = true;
    const count = earlier();
    const pause = count === 0 ? 0 : Math.min(MAX_PAUSE_MS, 250 * 2 ** count);
    if (count > 2) explain();
    setTimeout(() => {
      keep(count + 1);
      location.reload();
    }, pause);
  };

  const explain = () => {
    // A file of the head can fail before the body is there.
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', explain);
    else if (!hasStarted())
      document
        .querySelector('#root, #terminal')
        .replaceChildren('The console did not load completely. Hortus tries again by itself.');
  };

  // Until the console has started, every file is needed. Later it asks for a reload if a page cannot be shown without a
  // lost file (frame/missing-code.ts): a reload for what was only loaded ahead would clear a form for nothing.
  const hasStarted = () => document.querySelector('#root > *, #terminal > *') !== null;
  const isCode = ({ tagName, rel }) =>
    tagName === 'SCRIPT' || (tagName === 'LINK' && /stylesheet|modulepreload/.test(rel));
  // The events of elements do not bubble.
  addEventListener('error', ({ target }) => target !== window && isCode(target) && !hasStarted() && loadAgain(), true);
  addEventListener('hortus:load-again', loadAgain);
})();
