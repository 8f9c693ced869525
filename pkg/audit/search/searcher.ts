/** The searches of one server. */
import type { AuditSink } from '../sink.js';
import type { RecordedEvent } from './filter.js';
import { type AuditSearch, searchAuditLog } from './search.js';
import { failure } from '../../apimachinery/errors.js';

/** Searches at a time: of one user, and of all. */
const OF_ONE = 2;
const OF_ALL = 4;

/** Runs `work` if a slot is free. Throws StatusError 429, and the errors of `work`. */
type InSlot = <T>(user: string, work: () => Promise<T>) => Promise<T>;

function searchSlots(): InSlot {
  const running = new Map<string, number>();
  let all = 0;
  return async (user, work) => {
    const own = running.get(user) ?? 0;
    if (own >= OF_ONE) throw busy(`you have ${own} searches of the audit log under way at this server`);
    if (all >= OF_ALL) throw busy(`${all} searches of the audit log are under way at this server`);
    running.set(user, own + 1);
    all += 1;
    try {
      return await work();
    } finally {
      all -= 1;
      const left = (running.get(user) ?? 1) - 1;
      if (left === 0) running.delete(user);
      else running.set(user, left);
    }
  };
}

const busy = (why: string): Error =>
  failure('TooManyRequests', `${why}: try again when one has ended`, { retryAfterSeconds: 1 });

interface AuditAnswer {
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
