import type { StorageEvent, WatchBatch } from '../../storage/interface.js';

const PIECE_EVENTS = 512;

/** A batch in pieces of whole commits, small enough for one turn of the loop each. */
export function* chunksOf(batch: WatchBatch): Generator<WatchBatch> {
  let events: StorageEvent[] = [];
  for (const event of batch.events) {
    events.push(event);
    if (events.length < PIECE_EVENTS || !event.commitEnd) continue;
    yield { events, revision: event.revision };
    events = [];
  }
  yield { events, revision: batch.revision };
}
