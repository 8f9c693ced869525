/** Records the responses and events that the clients and watchers of a run received. */
import type { KindName } from './kinds.js';

/** The values of an object by their names, `a` to `d`. Every write of a run writes a unique value. */
export type Fields = Readonly<Record<string, string>>;

/** An object in a response or an event. */
export interface ShownObject {
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly fields: Fields;
}

type Operation = 'create' | 'update' | 'patch' | 'delete' | 'get';

/**
 * `unknown`: a write may have been executed, or may still be. `refused`: it was not, and this does not depend on the
 * object. Failed reads are not recorded.
 */
export type Outcome = 'ok' | 'exists' | 'absent' | 'conflict' | 'refused' | 'unknown';

/** A request for one object. */
export interface RequestRecord {
  readonly client: number;
  readonly server: string;
  readonly kind: KindName;
  readonly name: string;
  readonly operation: Operation;
  /** In nanoseconds, by one monotonic clock. */
  readonly call: number;
  readonly return: number;
  readonly ifRevision?: number;
  readonly ifUID?: string;
  /** The written values. */
  readonly fields?: Fields;
  /** A read from the cache (`resourceVersion=0`), which may be stale. */
  readonly stale?: boolean;
  readonly outcome: Outcome;
  /** The object in the response; for a delete, only its uid. */
  readonly shown?: ShownObject;
  readonly uid?: string;
}

export interface ListRecord {
  readonly client: number;
  readonly server: string;
  readonly kind: KindName;
  readonly call: number;
  readonly return: number;
  readonly stale?: boolean;
  readonly revision: number;
  readonly items: readonly ShownObject[];
}

export type StreamItem =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: ShownObject }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly endsInitial: boolean };

/** One stream of a watch, from its request to its end. */
export interface StreamRecord {
  readonly watcher: number;
  readonly server: string;
  readonly kind: KindName;
  /**
   * The revision after which it starts, and where the watcher got that from; absent: it starts with the current
   * objects.
   */
  readonly after?: number;
  readonly from?: 'list' | 'event' | 'bookmark' | 'past';
  /** Whether it uses `sendInitialEvents`: a bookmark marks the end of the initial events. */
  readonly initial: boolean;
  readonly items: StreamItem[];
}

export interface FaultRecord {
  readonly kind: string;
  /** In ms since the start of the run. */
  readonly at: number;
  readonly detail: string;
  /** False: the fault could not be injected, and `detail` is the reason. */
  readonly done: boolean;
}

/** A finding of a judge. */
export interface Violation {
  readonly judge: JudgeName;
  readonly text: string;
}

export type JudgeName =
  | 'linearizable'
  | 'ordered'
  | 'unique'
  | 'atomic'
  | 'reliable'
  | 'resumable'
  | 'bookmarkable'
  | 'faithful'
  | 'final state'
  | 'orderly';

/** The records of one run. */
export class History {
  /** The number of requests and lists with a response. */
  answered = 0;
  readonly requests: RequestRecord[] = [];
  readonly lists: ListRecord[] = [];
  readonly streams: StreamRecord[] = [];
  readonly faults: FaultRecord[] = [];
  /** Responses that no fault explains, and unexpected error lines of servers. */
  readonly disorders: string[] = [];
}

export const now = (): number => Math.round(performance.now() * 1e6);
