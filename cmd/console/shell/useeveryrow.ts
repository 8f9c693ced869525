import { useMemo } from 'react';
import type { Row } from '../client/forms.js';
import { useNamespacePrefix, projectOf } from '../client/useprefix.js';
import { hasWords, wordsOf } from '../client/words.js';
import { useTexts } from '../texts/texts.js';
import { useRowsOf } from '../ui/lists/userowsof.js';

/** The resources whose objects the palette finds. */
const RESOURCES = [
  'projects',
  'sharedsecrets',
  'projectsecrets',
  'spaceinstances',
  'virtualclusterinstances',
  'clusters',
  'users',
  'teams',
  'ownedaccesskeys',
] as const;

/** An object that can be found. */
interface Found {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Its kind, its project or namespace, and its name. */
  readonly text: string;
  readonly displayName: string;
  /** What is searched, in lower case. */
  readonly searched: string;
}

interface EveryRow {
  /** Whether some are still being read. */
  readonly loading: boolean;
  readonly found: readonly Found[];
}

/** The objects of every kind that the user can see, and that have every word that is typed. Nothing typed: none. */
export function useEveryRow(typed: string): EveryRow {
  const { home } = useTexts();
  const prefix = useNamespacePrefix();
  const { items, status } = useRowsOf(RESOURCES);
  const all = useMemo(() => {
    const kinds: Readonly<Record<string, (count: number) => string>> = home.kinds;
    return items.map((row) => foundOf(row, kinds[row.resource]?.(1) ?? row.resource, prefix));
  }, [items, home, prefix]);
  const found = useMemo(() => matching(all, typed), [all, typed]);
  return { loading: status === 'loading', found };
}

function foundOf({ resource, metadata, cells }: Row, kind: string, prefix: string | undefined): Found {
  const { namespace = '', name = '' } = metadata;
  const place = projectOf(namespace, prefix) || namespace;
  const text = `${kind}: ${place === '' ? name : `${place}/${name}`}`;
  const displayName = cells['Display Name'] ?? '';
  return {
    resource,
    namespace,
    name,
    text,
    displayName,
    searched: `${text} ${displayName}`.toLowerCase(),
  };
}

/** Those whose name begins with what is typed come first. */
function matching(all: readonly Found[], typed: string): readonly Found[] {
  const words = wordsOf(typed);
  const [first] = words;
  if (first === undefined) return [];
  const found = all.filter(({ searched }) => hasWords(searched, words));
  const begins = ({ name, displayName }: Found): boolean =>
    name.startsWith(first) || displayName.toLowerCase().startsWith(first);
  return [...found.filter(begins), ...found.filter((one) => !begins(one))];
}
