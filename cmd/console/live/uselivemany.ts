/** Several live collections with the same form, as long as a component shows them. */
import { useEffect, useState } from 'react';
import type { Form } from '../client/forms.js';
import { LiveList, type LiveState } from './livelist.js';
import { mayList } from './maylist.js';

export interface Many<Item> {
  readonly paths: readonly string[];
  /** Distinguishes forms that keep different fields. */
  readonly name: string;
  readonly form: () => Form<Item>;
  /** The maximum number of pages of each collection. */
  readonly maxPages: number;
}

/** The state of each path, in the order of the paths. */
export function useLiveMany<Item>({ paths, name, form, maxPages }: Many<Item>): readonly LiveState<Item>[] {
  const [states, setStates] = useState<readonly LiveState<Item>[]>([]);
  const key = JSON.stringify([name, paths]);
  useEffect(() => {
    const lists = paths.map((path) => new LiveList<Item>({ path, form: form(), maxPages, mayList }));
    const tell = (): void => setStates(lists.map((list) => list.state()));
    for (const list of lists) list.subscribe(tell);
    tell();
    return () => {
      for (const list of lists) list.close();
    };
  }, [key]);
  return states;
}
