/** A watch: events as lines of JSON, read no faster than they are taken. */
import type { IncomingMessage } from 'node:http';
import { chunksOf } from '../apimachinery/chunks.js';
import { membersOf } from '../apimachinery/encoding/members.js';
import type { Connections } from './connections.js';
import { begin, unreachable } from './exchange.js';
import type { Exchange } from './exchange.js';
import type { HostEvent } from './interface.js';
import { HOST_EVENTS } from './interface.js';
import { jsonIn } from './jsonin.js';
import { textOf } from './send.js';

/** From the request to the first byte of its answer. */
const BEGIN_MS = 10_000;
/** Bookmarks come about once a minute: a line that is silent for longer is dead. */
const SILENCE_MS = 90_000;
/** A silent line is tried (TCP keep-alive) after so long: one that leads nowhere ends in about 15 s. */
const TRIED_MS = 5_000;
/** Bytes of one event: an object, of which a server keeps no more than 3 MiB. */
const MOST_LINE_BYTES = 16 << 20;
const NEWLINE = 0x0a;

/** As `watch` of HostClient; `closed` ends it too. */
export async function* watchEvents(
  connections: Connections,
  path: string,
  stopped: AbortSignal,
  closed: AbortSignal,
  begun: () => void = () => undefined,
): AsyncGenerator<HostEvent> {
  const silent = new AbortController();
  const given = AbortSignal.any([stopped, closed]);
  const signal = AbortSignal.any([given, silent.signal]);
  const exchange: Exchange = {
    ...{ method: 'GET', path, purpose: 'watches', signal },
    ended: () => (silent.signal.aborted ? 'it is silent' : 'the watch was ended'),
  };
  const silence = (ms: number): NodeJS.Timeout => setTimeout(() => silent.abort(), ms).unref();
  let timer = silence(BEGIN_MS);
  try {
    const response = await begin(connections, exchange);
    clearTimeout(timer);
    if (response.statusCode === 401) connections.refused();
    if (response.statusCode !== 200) {
      yield { type: 'ERROR', object: jsonIn(await textOf(response)) ?? { code: response.statusCode } };
      return;
    }
    response.socket.setKeepAlive(true, TRIED_MS);
    timer = silence(SILENCE_MS);
    begun();
    for await (const line of linesOf(response)) {
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

async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(response)) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      begun.push(chunk.subarray(from, end));
      const line = Buffer.concat(begun).toString('utf8');
      begun = [];
      length = 0;
      from = end + 1;
      if (line !== '') yield line;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > MOST_LINE_BYTES) throw new RangeError('an event is too large');
    if (rest.length > 0) begun.push(rest);
  }
}

/** RangeError for what is no event. */
function eventIn(line: string): HostEvent {
  const { type: sent, object } = membersOf(jsonIn(line));
  const type = HOST_EVENTS.find((one) => one === sent);
  if (type === undefined || object === undefined) throw new RangeError('what it sends is no watch');
  return { type, object };
}
