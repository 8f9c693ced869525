/** The view of a caller of a collection, which may be partial. */
import type { ObjectKey } from '../../api/resource.js';
import type { EntryRange, Snapshot } from '../cache/interface.js';

/** Everything, or what a filter selects. An omitted filter does not compile, so it never shows everything. */
export type Shown<Filter> = { readonly all: true } | { readonly filter: Filter };

export const EVERYTHING: { readonly all: true } = { all: true };

/** A filter of a collection's objects. */
export interface VisibilityFilter {
  sees(this: void, key: ObjectKey): boolean;
  /** The visible entries of a snapshot under `prefix` (`''`, or `namespace/`). */
  in(snapshot: Snapshot, prefix: string): EntryRange;
}

/** A caller's view of a collection, computed from memory and as current as the caches. */
export interface View {
  /** The currently visible objects. */
  current(): Shown<VisibilityFilter>;
  /**
   * Whether the view has not changed since this revision: objects that exist since then, or existed then, were
   * visible exactly if they are now.
   */
  unchangedSince(revision: number): boolean;
}
