/** A watch: events as lines of JSON, with back-pressure. */
import { linesOf, textOf } from '../../api/client/body.js';
import { membersOf } from '../apimachinery/encoding/members.js';
import type { HostConnections, Pools } from './connections.js';
import { begin, unreachable, type Exchange } from './exchange.js';
import { HOST_EVENTS, type HostEvent } from './interface.js';
import { jsonIn } from './jsonin.js';
import { MAX_BYTES } from './send.js';

/** The timeout of the response headers. */
const BEGIN_MS = 10_000;
/** Bookmarks are sent about once a minute: a connection that is silent for longer is dead. */
const SILENCE_MS = 90_000;
/** TCP keep-alive begins after this silence; a dead connection ends in about 15 s. */
const TRIED_MS = 5_000;
/** The maximum bytes of one event: an API server stores objects of up to 3 MiB. */
const MAX_LINE_BYTES = 16 << 20;

/** As `watch` of HostClient; `closed` also ends it. */
export async function* watchEvents(
  connections: HostConnections<Pools>,
  path: string,
  stopped: AbortSignal,
  closed: AbortSignal,
  begun: () => void = () => undefined,
): AsyncGenerator<HostEvent> {
  const silent = new AbortController();
  const given = AbortSignal.any([stopped, closed]);
  const signal = AbortSignal.any([given, silent.signal]);
  const exchange: Exchange = {
    method: 'GET',
    path,
    purpose: 'watches',
    signal,
    ended: () => (silent.signal.aborted ? 'it is silent' : 'the watch was ended'),
  };
  const silence = (ms: number): NodeJS.Timeout => setTimeout(() => silent.abort(), ms).unref();
  let timer = silence(BEGIN_MS);
  try {
    const response = await begin(connections, exchange);
    clearTimeout(timer);
    if (response.statusCode === 401) connections.refused();
    if (response.statusCode !== 200) {
      yield {
        type: 'ERROR',
        object: jsonIn(await textOf(response, MAX_BYTES)) ?? { code: response.statusCode },
      };
      return;
    }
    response.socket.setKeepAlive(true, TRIED_MS);
    timer = silence(SILENCE_MS);
    begun();
    for await (const line of linesOf(response, MAX_LINE_BYTES)) {
      if (line === '') continue;
      timer.refresh();
      yield eventIn(line);
    }
  } catch (error) {
    if (given.aborted) return;
    throw unreachable(error, exchange, true);
  } finally {
    clearTimeout(timer);
  }
}

/** Throws RangeError for an invalid event. */
function eventIn(line: string): HostEvent {
  const { type: sent, object } = membersOf(jsonIn(line));
  const type = HOST_EVENTS.find((one) => one === sent);
  if (type === undefined || object === undefined) throw new RangeError('what it sends is no watch');
  return { type, object };
}
