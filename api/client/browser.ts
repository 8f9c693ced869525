/** For browsers: `fetch` with its settings. */
import type { Fetch } from './transport.js';

export interface BrowserSettings {
  readonly credentials: 'same-origin' | 'omit';
  /** Absent: the browser does not cache the answer. */
  readonly cache?: 'no-store' | 'no-cache' | 'default';
  /** Besides those of each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Redirects are errors, as another place is asked for nothing. */
export function fetchWith({ credentials, cache = 'no-store', headers }: BrowserSettings): Fetch {
  return async (url, { headers: own, ...request }) => {
    const all = { ...request, credentials, cache, headers: { ...own, ...headers } };
    const answer = await fetch(url, { ...all, redirect: 'error' });
    const body = answer.body === null ? null : chunksOf(answer.body);
    return { status: answer.status, headers: answer.headers, text: () => answer.text(), body };
  };
}

/** Not all browsers iterate streams. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
