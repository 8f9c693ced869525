import { useDeferredValue, useMemo } from 'react';
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
  'grouprules',
  'ownedaccesskeys',
] as const;

/** An object that can be found. */
interface Found {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly prefix: string | undefined;
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
  const wanted = useDeferredValue(typed);
  const found = useMemo(() => matching(all, wanted), [all, wanted]);
  return { loading: status === 'loading', found };
}

/** A changed row is a new object, so what was found of a row stays, in one language. */
const known = new WeakMap<Row, Found>();

function foundOf(row: Row, kind: string, prefix: string | undefined): Found {
  const before = known.get(row);
  if (before?.kind === kind && before.prefix === prefix) return before;
  const { resource, metadata, cells } = row;
  const { namespace = '', name = '' } = metadata;
  const place = projectOf(namespace, prefix) || namespace;
  const text = `${kind}: ${place === '' ? name : `${place}/${name}`}`;
  const displayName = cells['Display Name'] ?? '';
  const searched = `${text} ${displayName}`.toLowerCase();
  const found = { resource, namespace, name, kind, prefix, text, displayName, searched };
  known.set(row, found);
  return found;
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
