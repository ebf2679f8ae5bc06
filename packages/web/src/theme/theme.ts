import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const KEY = 'hortus.theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
  show(theme);
}

function show(theme: Theme): void {
  document.documentElement.dataset.theme = theme === 'system' ? (prefersDark.matches ? 'dark' : 'light') : theme;
  for (const listener of listeners) listener();
}

prefersDark.addEventListener('change', () => show(chosenTheme()));
// Another tab has chosen.
addEventListener('storage', ({ key }) => {
  if (key === KEY) show(chosenTheme());
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useTheme = (): Theme => useSyncExternalStore(subscribe, chosenTheme);
