import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTexts } from '../texts/texts.js';
import type { PAGES } from './pages.js';
import { usePages } from './usepages.js';

type PageName = (typeof PAGES)[number][1];

const ACTIVE = { 'aria-current': 'page' as const };

/** SVG paths of 24 by 24 px. They are decorative: the name is beside them. */
const LINES: Readonly<Record<PageName, string>> = {
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  secrets: 'M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3',
  accessKeys: 'M12 16a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM11 13l8-8M16 8l3 3M13.5 10.500l2 2',
  projects: 'M3 6h7l2 3h9v10H3z',
  spaces: 'M12 4L3 9l9 5 9-5zM3 14l9 5 9-5',
  virtualClusters: 'M12 3L4 7.500v9l8 4.5 8-4.500v-9zM4 7.500l8 4.5 8-4.500M12 12v9',
  clusters: 'M4 4h16v7H4zM4 13h16v7H4zM8 7.500h.01M8 16.500h.01',
  users: 'M16 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM4 20c1-4 4-6 8-6s7 2 8 6',
  teams:
    'M12.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0zM2 19c.7-3.5 3.2-5.5 7-5.500s6.3 2 7 5.500M16 5a3 3 0 0 1 0 6M18.5 14c2 .8 3.1 2.5 3.5 5',
  rules: 'M4 7h9M4 12h5M4 17h9M17 7l3 3-3 3M20 10h-8',
  audit: 'M5 6h14M5 11h7M5 16h5M19 15a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM18 17.500l3 3',
};

/** The first pages of groups. */
const FIRST_OF_GROUP: readonly PageName[] = ['projects', 'users', 'audit'];

export interface Props {
  /** Whether a narrow screen shows the links. */
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** The links to the pages: at the side, or on a narrow screen in a menu, which closes when a page opens. */
export function Navigation({ isOpen, onToggle }: Props) {
  const texts = useTexts();
  const pages = usePages();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => onToggle(false), [path]);
  const close = (): void => {
    if (!isOpen) return;
    onToggle(false);
    // The focus would be lost in the menu; the heading of another page takes it.
    document.querySelector<HTMLElement>('[aria-controls="menu"]')?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const press = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close();
    };
    window.addEventListener('keydown', press, true);
    return () => window.removeEventListener('keydown', press, true);
  }, [isOpen]);
  return (
    <nav
      id="menu"
      aria-label={texts.nav.label}
      className={isOpen ? 'open' : undefined}
      // The page that is shown opens again, without another path.
      onClick={({ target }) => target instanceof Element && target.closest('a') && close()}
    >
      <ul>
        {pages.map(([to, name]) => (
          <li key={to} className={FIRST_OF_GROUP.includes(name) ? 'group' : undefined}>
            <Link to={to} activeOptions={{ exact: to === '/' }} activeProps={ACTIVE}>
              <svg viewBox="0 0 24 24" aria-hidden="true" className="icon">
                <path d={LINES[name]} />
              </svg>
              {texts.nav[name]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
