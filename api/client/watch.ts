import { ApiError, type Status } from './apierror.js';
import { membersOf } from '../members.js';
import { linesOf } from './body.js';
import { parseExact } from '../exactjson.js';

/** One change. A `BOOKMARK` has no object but its resourceVersion, which a next watch may go on from. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** An object is at most a few MiB; a line beyond this is no event. */
const MAX_EVENT_BYTES = 64 * 1024 * 1024;

/** An event as it is sent: its type may be `ERROR`, or one that is not known. */
export interface SentEvent {
  readonly type: string;
  readonly object: object;
}

/** The events of a watch as they are sent. Throws SyntaxError and RangeError for what is none, and the errors of the body. */
export async function* sentEventsOf<E = SentEvent>(body: AsyncIterable<Uint8Array>): AsyncGenerator<E, void> {
  for await (const line of linesOf(body, MAX_EVENT_BYTES)) if (line !== '') yield eventIn<E>(line);
}

/** Throws RangeError for what is no event. */
function eventIn<E>(line: string): E {
  const event: E = parseExact(line);
  const { type, object } = membersOf(event);
  if (typeof type !== 'string' || typeof object !== 'object' || object === null)
    throw new RangeError('what it sends is no watch');
  return event;
}

/**
 * The events of a watch, as they come, until the server ends it.
 * @throws ApiError for an event of type ERROR: with the reason `Expired`, list again and watch from there.
 */
export async function* eventsOf<T>(body: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent<T>, void> {
  type Sent = WatchEvent<T> | { type: 'ERROR'; object: Status };
  for await (const event of sentEventsOf<Sent>(body)) {
    if (event.type === 'ERROR') throw new ApiError(500, event.object);
    yield event;
  }
}
