import { useNavigate, useSearch } from '@tanstack/react-router';

/** How a list is sorted. */
export interface Sorting {
  /** The name of a column. */
  readonly by: string;
  readonly descending: boolean;
}

/** The search text, which is kept in the URL. */
export function useSearchText(): [string, (text: string) => void] {
  const { q = '', sort } = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (text: string): void =>
    void navigate({
      to: '.',
      search: { ...(text !== '' && { q: text }), ...(sort && { sort }) },
      replace: true,
    });
  return [q, set];
}

/** The sorting, which is kept in the URL: `age`, or `-age` for descending. Undefined: by place and name. */
export function useSorting(): [Sorting | undefined, (by: string) => void] {
  const { q, sort = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (by: string): void => {
    const next = sort === by ? `-${by}` : sort === `-${by}` ? undefined : by;
    void navigate({ to: '.', search: { ...(q && { q }), ...(next && { sort: next }) }, replace: true });
  };
  if (sort === '') return [undefined, set];
  const descending = sort.startsWith('-');
  return [{ by: descending ? sort.slice(1) : sort, descending }, set];
}
