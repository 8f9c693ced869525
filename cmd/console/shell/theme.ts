/** The color theme. `system`: as the operating system is set. */
export type Theme = 'system' | 'light' | 'dark';

const KEPT_AS = 'console.theme';

export function theme(): Theme {
  const kept = localStorage.getItem(KEPT_AS);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function setTheme(next: Theme): void {
  localStorage.setItem(KEPT_AS, next);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme();
}
