import { useNavigate, useSearch } from '@tanstack/react-router';

/** The search text, which is kept in the URL. */
export function useSearchText(): [string, (text: string) => void] {
  const { q = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (text: string): void =>
    void navigate({ to: '.', search: text === '' ? {} : { q: text }, replace: true });
  return [q, set];
}
