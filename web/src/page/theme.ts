// Light or dark: the browser's theme, or the one that the reader chose.
import {byId} from './dom';

const KEY = 'vta-theme';
let chosen: string | null = null;
try {
  chosen = localStorage.getItem(KEY);
} catch {
  // Pages from files may have no memory.
}

const dark = matchMedia('(prefers-color-scheme: dark)');

function apply() {
  const is_dark = chosen ? chosen === 'dark' : dark.matches;
  document.documentElement.dataset.theme = is_dark ? 'dark' : 'light';
  byId('theme').textContent = is_dark ? 'Light theme' : 'Dark theme';
}

/** Applies the theme, and calls `redraw` when it changes. */
export function startTheme(redraw: () => void) {
  byId('theme').addEventListener('click', () => {
    chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      // It holds until the page is closed.
    }
    apply();
    redraw();
  });
  dark.addEventListener('change', () => {
    apply();
    redraw();
  });
  apply();
}
