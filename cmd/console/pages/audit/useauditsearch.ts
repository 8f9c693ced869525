import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { searchAudit, type AuditAnswer, type AuditEvent } from '../../client/audit.js';
import type { AuditFilters } from '../../client/auditfilters.js';

/** The search continues by itself after an answer without events, until this number of consecutive answers had none. */
const MAX_EMPTY_ANSWERS = 20;

export interface NumberedEvent {
  readonly event: AuditEvent;
  readonly key: string;
}

export interface AuditSearchState {
  readonly events: readonly NumberedEvent[];
  /** The last answer; undefined before the first. */
  readonly answer: AuditAnswer | undefined;
  readonly searching: boolean;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly again: () => void;
}

/** The events that were found so far. Events after the first answer are not included until the user searches again. */
export function useAuditSearch(filters: AuditFilters): AuditSearchState {
  const queries = useQueryClient();
  const queryKey = ['audit', filters] as const;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => searchAudit(filters, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: (last) => last.continue,

    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: false,
  });
  const { data, error, isFetching, hasNextPage, fetchNextPage } = query;
  const pages = useMemo(() => data?.pages ?? [], [data]);
  const events = useMemo(
    () => pages.flatMap((page) => page.events ?? []).map((event, at) => ({ event, key: String(at) })),
    [pages],
  );
  const more = (): void => void (isFetching || !hasNextPage || fetchNextPage());
  const lastPages = pages.slice(-MAX_EMPTY_ANSWERS);
  const searchesOn =
    (pages.length < MAX_EMPTY_ANSWERS || lastPages.some((page) => (page.events ?? []).length > 0)) &&
    (pages.at(-1)?.events ?? []).length === 0;
  useEffect(() => {
    if (searchesOn && hasNextPage && !isFetching && error === null) void fetchNextPage();
  }, [searchesOn, hasNextPage, isFetching, error, fetchNextPage]);
  return {
    events,
    more,
    answer: pages.at(-1),
    searching: isFetching,
    hasMore: hasNextPage,
    error: error ?? undefined,
    again: () => void queries.resetQueries({ queryKey, exact: true }),
  };
}
