/** The searches of one server. */
import type { AuditSink } from '../sink.js';
import type { RecordedEvent } from './filter.js';
import { type AuditSearch, searchAuditLog } from './search.js';
import { searchSlots } from './slots.js';

export interface AuditAnswer {
  readonly server: string;
  readonly log: 'File' | 'StandardOutput' | 'None';
  readonly events: RecordedEvent[];
  readonly continue?: string;
  readonly searchedTo?: string;
  readonly unreadable?: number;
}

export type SearchAudit = (caller: { readonly name: string }, search: AuditSearch) => Promise<AuditAnswer>;

export interface AuditLogPlace {
  /** `-`: standard output; undefined: nothing is recorded. */
  readonly path: string | undefined;
  readonly sink: Pick<AuditSink, 'flush'> | undefined;
  /** The name of this server. */
  readonly server: string;
}

/** Rejects with StatusError: 400 and 410 for `from`, 429 where too many searches are under way. */
export function auditSearcher({ path, sink, server }: AuditLogPlace): SearchAudit {
  if (path === undefined) return () => Promise.resolve({ server, log: 'None', events: [] });
  if (path === '-') return () => Promise.resolve({ server, log: 'StandardOutput', events: [] });
  const inSlot = searchSlots();
  return ({ name }, search) =>
    inSlot(name, async () => {
      // Flushes, so that the latest events are found. The server reports a failure itself.
      await sink?.flush().catch(() => undefined);
      const { unreadable, ...found } = await searchAuditLog(path, search);
      return { server, log: 'File', ...found, ...(unreadable > 0 && { unreadable }) };
    });
}
