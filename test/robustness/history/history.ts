/** What clients and watchers of a run were told, as they were told it. */
import type { KindName } from './kinds.js';

/** Values of an object by their names, `a` to `d`. No two writes of a run write the same value. */
export type Fields = Readonly<Record<string, string>>;

/** An object as an answer or an event shows it. */
export interface ShownObject {
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly fields: Fields;
}

export type Operation = 'create' | 'update' | 'patch' | 'delete' | 'get';

/**
 * `unknown`: a write may have been done, or may yet be. `refused`: it was not, and that says nothing of the object.
 * Of reads that failed there is no record.
 */
export type Outcome = 'ok' | 'exists' | 'absent' | 'conflict' | 'refused' | 'unknown';

/** A request for one object. */
export interface RequestRecord {
  readonly client: number;
  readonly server: string;
  readonly kind: KindName;
  readonly name: string;
  readonly operation: Operation;
  /** Nanoseconds of one clock. */
  readonly call: number;
  readonly return: number;
  readonly ifRevision?: number;
  readonly ifUID?: string;
  /** What is written. */
  readonly fields?: Fields;
  /** A read of whatever is in memory (`resourceVersion=0`). */
  readonly stale?: boolean;
  readonly outcome: Outcome;
  /** The object that was answered; of a delete, only its uid is told. */
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
  /** The revision it began after, and what the watcher knew that from; absent: it begins with what there is. */
  readonly after?: number;
  readonly from?: 'list' | 'event' | 'bookmark' | 'past';
  /** With `sendInitialEvents`: a bookmark ends what there is. */
  readonly initial: boolean;
  readonly items: StreamItem[];
}

export interface FaultRecord {
  readonly kind: string;
  /** Milliseconds since the run began. */
  readonly at: number;
  readonly detail: string;
  /** False: it could not be made, and `detail` says why. */
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

/** All of one run. */
export class History {
  /** Requests that had an answer, lists too. */
  answered = 0;
  readonly requests: RequestRecord[] = [];
  readonly lists: ListRecord[] = [];
  readonly streams: StreamRecord[] = [];
  readonly faults: FaultRecord[] = [];
  /** Answers that no fault explains, and what servers said that they should not. */
  readonly disorders: string[] = [];
}

export const now = (): number => Math.round(performance.now() * 1e6);
