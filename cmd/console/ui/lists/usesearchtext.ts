/** What a list shows, which is kept in the URL. */
import { useNavigate, useSearch } from '@tanstack/react-router';

/** How a list is sorted. */
export interface Sorting {
  /** The name of a column. */
  readonly by: string;
  readonly descending: boolean;
}

/** Empty texts are not in the URL. */
interface ListSearch {
  readonly q: string;
  readonly sort: string;
  readonly show: string;
}

function useListSearch(): [ListSearch, (part: Partial<ListSearch>) => void] {
  const { q = '', sort = '', show = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (part: Partial<ListSearch>): void => {
    const next = Object.entries({ q, sort, show, ...part }).filter(([, text]) => text !== '');
    void navigate({ to: '.', search: Object.fromEntries(next), replace: true });
  };
  return [{ q, sort, show }, set];
}

/** The search text. */
export function useSearchText(): [string, (q: string) => void] {
  const [{ q }, set] = useListSearch();
  return [q, (text) => set({ q: text })];
}

/** The name of a filter; empty: that of the page. */
export function useShown(): [string, (show: string) => void] {
  const [{ show }, set] = useListSearch();
  return [show, (name) => set({ show: name })];
}

/** The sorting: `age` in the URL, or `-age` for descending. Undefined: by place and name. */
export function useSorting(): [Sorting | undefined, (by: string) => void] {
  const [{ sort }, set] = useListSearch();
  const sortBy = (by: string): void => set({ sort: sort === by ? `-${by}` : sort === `-${by}` ? '' : by });
  if (sort === '') return [undefined, sortBy];
  const descending = sort.startsWith('-');
  return [{ by: descending ? sort.slice(1) : sort, descending }, sortBy];
}
