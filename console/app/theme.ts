// Light or dark, as the reader has chosen, or as their system has. Beside the skipped first steps it is the only thing that this
// browser remembers.
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark' | 'system';
const key = 'orrery-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function chosen(): Theme {
  const text = localStorage.getItem(key);
  return text === 'light' || text === 'dark' ? text : 'system';
}

export function applyTheme(): void {
  const theme = chosen();
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}

dark.addEventListener('change', applyTheme);

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, chosen);
}
