/** What a caller is shown of a collection, where it need not be all of it. */
import type { EntryRange, Snapshot } from '../cache/interface.js';

/** Everything, or what a filter lets through. What is left out by mistake does not compile, and so never shows everything. */
export type Shown<Filter> = { readonly all: true } | { readonly filter: Filter };

export const EVERYTHING: { readonly all: true } = { all: true };

/** Some of a collection's objects. */
export interface VisibilityFilter {
  sees(namespace: string, name: string): boolean;
  /** What is seen of a state under `prefix` (`''`, or `namespace/`). */
  in(snapshot: Snapshot, prefix: string): EntryRange;
}

/** A caller's view of a collection. Answers from memory, as current as the caches. */
export interface View {
  /** What is seen now. */
  look(): Shown<VisibilityFilter>;
  /** Whether what is there since this revision, or was there then, was seen then just where it is seen now. */
  heldSince(revision: number): boolean;
}
