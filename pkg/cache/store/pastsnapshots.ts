/**
 * The state at past revisions. A clone is stored every few thousand events (O(1), memory only for later changes). Any
 * other revision is the next clone with the events between undone, and is cached for the next page of the same list.
 */
import type { StoredEvent } from '../watch/event.js';
import type { Snapshot } from '../interface.js';
import type { Ring } from '../watch/ring.js';
import { snapshotOf } from './snapshot.js';
import type { SortedEntries } from './sortedentries.js';

/** To undo that many takes a few milliseconds. */
const EVENTS_BETWEEN = 2048;
const REMEMBERED = 32;

interface Kept {
  /** The revision of its last event. */
  readonly revision: number;
  readonly entries: SortedEntries;
}

export interface PastSnapshots {
  /** The events of a revision have been applied to the state. */
  applied(revision: number): void;
  /** The state at `revision`, which is not before the ring's floor and before that of `latest`. */
  at(revision: number, latest: Snapshot): Snapshot;
  /** Drops states before `floor`. */
  trim(floor: number): void;
}

/** @param current the state that is written to. */
export function keepPastSnapshots(current: SortedEntries, ring: Ring): PastSnapshots {
  let kept: Kept[] = [];
  let sinceKept = 0;
  const remembered = new Map<number, Snapshot>();

  function rebuild(revision: number, latest: Snapshot): Snapshot {
    const next = kept.find((one) => one.revision >= revision);
    const entries = (next?.entries ?? current).clone();
    for (const event of ring.between(revision, next?.revision ?? latest.revision)) undo(entries, event);
    return snapshotOf(entries, revision);
  }

  return {
    applied(revision) {
      sinceKept += 1;
      if (sinceKept < EVENTS_BETWEEN) return;
      sinceKept = 0;
      kept.push({ revision, entries: current.clone() });
    },
    at(revision, latest) {
      const known = remembered.get(revision);
      const snapshot = known ?? rebuild(revision, latest);
      remembered.delete(revision);
      remembered.set(revision, snapshot);
      for (const oldest of remembered.keys()) {
        if (remembered.size <= REMEMBERED) break;
        remembered.delete(oldest);
      }
      return snapshot;
    },
    trim(floor) {
      if ((kept[0]?.revision ?? floor) < floor) kept = kept.filter((one) => one.revision >= floor);
      for (const revision of remembered.keys()) if (revision < floor) remembered.delete(revision);
    },
  };
}

function undo(entries: SortedEntries, event: StoredEvent): void {
  if (event.previous === undefined) entries.delete(event.entry.path);
  else entries.set(event.entry.path, event.previous);
}
