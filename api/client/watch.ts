import { ApiError, type Status } from './apierror.js';

/** One change. A `BOOKMARK` has no object but its resourceVersion, which a next watch may go on from. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** An object is at most a few MiB; a line beyond this is no event. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/**
 * The events of a watch, as they come, until the server ends it.
 * @throws ApiError for an event of type ERROR: with the reason `Expired`, list again and watch from there.
 */
export async function* eventsOf<T>(body: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent<T>, void> {
  for await (const line of linesOf(body)) {
    const event: WatchEvent<T> | { type: 'ERROR'; object: Status } = JSON.parse(line);
    if (event.type === 'ERROR') throw new ApiError(event.object.code ?? 500, event.object);
    yield event;
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const bytes of body) {
    const [first = '', ...further] = decoder.decode(bytes, { stream: true }).split('\n');
    pieces.push(first);
    length += first.length;
    for (const next of further) {
      const line = pieces.join('');
      if (line !== '') yield line;
      pieces = [next];
      length = next.length;
    }
    if (length > MAX_CHARACTERS)
      throw new Error(`an event of the watch exceeds ${MAX_CHARACTERS} characters`);
  }
}
