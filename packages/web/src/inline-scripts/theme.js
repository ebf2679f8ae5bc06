// Sets the theme before the first paint. The page contains this script; theme/theme.ts has the rest.
(() => {
  let chosen;
  try {
    chosen = localStorage.getItem('hortus.theme');
  } catch {
    chosen = null;
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = chosen === 'dark' || chosen === 'light' ? chosen : dark ? 'dark' : 'light';
})();
