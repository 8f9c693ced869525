/**
 * The bytes that a session of HTTP/2 receives, before nghttp2 has them. Node has no API for that: its sessions read in
 * C++, straight from TLS. But a parser of HTTP/1.1 can be put between the two, as Node does on other connections: in the
 * body of a response that lasts until the connection ends it hands on every byte, and what is written does not pass it.
 */
import { createServer } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { Duplex } from 'node:stream';

/** `HTTPParser` of Node, as far as it is used here. */
interface Parser {
  initialize(type: number, resource: object): void;
  execute(bytes: Buffer): unknown;
  consume(handle: object): void;
  close(): void;
  [event: number]: (bytes: Buffer) => void;
}
interface ParserClass {
  new (): Parser;
  readonly RESPONSE: number;
  readonly kOnBody: number;
}
/** The session in C++. */
interface SessionHandle {
  receive(bytes: Buffer): void;
}

const ENDLESS_BODY = Buffer.from('HTTP/1.1 200 OK\r\n\r\n');

let known: ParserClass | undefined;

/** Throws Error where Node has no such parser. */
function parserClass(): ParserClass {
  if (known !== undefined) return known;
  const connection = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  createServer().emit('connection', connection);
  const parser: unknown = Reflect.get(connection, 'parser');
  connection.destroy();
  const found: unknown = typeof parser === 'object' && parser !== null ? parser.constructor : undefined;
  if (!isParserClass(found)) throw unsupported();
  return (known = found);
}

const isParserClass = (value: unknown): value is ParserClass =>
  typeof value === 'function' &&
  ['RESPONSE', 'kOnBody'].every((name) => typeof Reflect.get(value, name) === 'number') &&
  ['initialize', 'execute', 'consume', 'close'].every((name) => name in value.prototype);

const isSessionHandle = (value: unknown): value is SessionHandle =>
  typeof value === 'object' && value !== null && 'receive' in value && typeof value.receive === 'function';

const unsupported = (): Error =>
  new Error(`this release of Node (${process.version}) does not let headers of HTTP/2 be checked`);

/** Throws Error if sessions cannot be tapped on this release of Node. */
export function checkTap(): void {
  parserClass();
}

/** Passes bytes on to nghttp2. */
export type Pass = (bytes: Buffer) => void;

/**
 * From now on the session receives what is passed to the returned function, and nothing else; `take` is called with what
 * the client sends. Call it in the turn in which the session is made. Throws Error if that cannot be.
 */
export function tapSession(session: ServerHttp2Session, take: (bytes: Buffer) => void): Pass {
  const Parser = parserClass();
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'kHandle');
  const handle = (): unknown => key && Reflect.get(session, key);
  const transport: unknown = Reflect.get(session.socket, '_handle');
  if (!isSessionHandle(handle()) || typeof transport !== 'object' || transport === null) throw unsupported();
  const parser = new Parser();
  parser.initialize(Parser.RESPONSE, {});
  parser[Parser.kOnBody] = take;
  parser.execute(ENDLESS_BODY);
  parser.consume(transport);
  session.socket.once('close', () => parser.close());
  return (bytes) => {
    const receiver = handle();
    if (!session.destroyed && isSessionHandle(receiver)) receiver.receive(bytes);
  };
}
