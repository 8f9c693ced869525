import { useEffect, useRef, useState } from 'react';
import type { ObjectMeta } from '../../../../api/resource.js';
import { entryNow, type EntryNow } from '../../client/secrets.js';
import { useTexts } from '../../texts/texts.js';

export interface Guard {
  /** Returns the current entry. Rejects, once, if somebody else has changed the entry since the user saw it. */
  readonly guarded: (name: string) => Promise<EntryNow>;
  /** Whether the next write replaces a value that somebody else has set. */
  readonly replaces: boolean;
}

/** Prevents that a value replaces another one that the user has not seen. `entry` is empty for a new entry. */
export function useGuard(metadata: ObjectMeta, entry: string): Guard {
  const texts = useTexts();
  const [replaces, setReplaces] = useState(false);
  const known = useRef<{ readonly name: string; readonly now: Promise<EntryNow> }>(undefined);
  useEffect(() => {
    if (entry === '') return;
    const now = entryNow(metadata, entry);
    now.catch(() => (known.current = undefined));
    known.current = { name: entry, now };
  }, []);
  const guarded = async (name: string): Promise<EntryNow> => {
    const now = await entryNow(metadata, name);
    const before = known.current?.name === name ? await known.current.now : undefined;
    if (now.print === before?.print) return now;
    known.current = { name, now: Promise.resolve(now) };
    setReplaces(now.print !== undefined);
    const size = ({ print, bytes }: EntryNow): string =>
      print === undefined ? texts.conflict.absent : texts.secrets.size(bytes);
    throw new Error(
      before === undefined
        ? texts.conflict.entryThere(size(now))
        : texts.conflict.entry(size(before), size(now)),
    );
  };
  return { guarded, replaces };
}
