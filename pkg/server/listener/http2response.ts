import type { OutgoingHttpHeaders } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

type Done = (error?: Error | null) => void;

/**
 * An HTTP/2 response for the server: the members of `ServerResponse`, directly on the stream. Unlike
 * `Http2ServerResponse` of `node:http2` it sends no trailers, which cost a frame and a turn of the loop for each
 * answer, and is not a stream: its events are those of the HTTP/2 stream.
 */
export class Http2Response {
  private headers: OutgoingHttpHeaders | undefined;
  private status = 200;
  private ended = false;

  constructor(readonly stream: ServerHttp2Stream) {}

  get statusCode(): number {
    // Express responds by another object.
    return Number(this.stream.sentHeaders?.[':status'] ?? this.status);
  }

  set statusCode(code: number) {
    this.status = code;
  }

  get headersSent(): boolean {
    return this.stream.headersSent;
  }

  get destroyed(): boolean {
    return this.stream.destroyed;
  }

  get writableEnded(): boolean {
    return this.ended || this.stream.writableEnded;
  }

  get writableNeedDrain(): boolean {
    return this.stream.writableNeedDrain;
  }

  /** HTTP/1.1's. */
  get chunkedEncoding(): boolean {
    return false;
  }

  /** HTTP/1.1's: the connection is its session's. */
  get socket(): null {
    return null;
  }

  setHeader(name: string, value: OutgoingHttpHeaders[string]): this {
    const key = name.toLowerCase();
    // HTTP/1.1's (RFC 9113, 8.2.2).
    if (key !== 'connection') (this.headers ??= {})[key] = value;
    return this;
  }

  getHeader(name: string): OutgoingHttpHeaders[string] {
    const key = name.toLowerCase();
    return this.headers?.[key] ?? this.stream.sentHeaders?.[key];
  }

  /** Headers set but not sent, names in lower case. */
  getHeaders(): OutgoingHttpHeaders {
    return { ...this.headers };
  }

  removeHeader(name: string): void {
    delete this.headers?.[name.toLowerCase()];
  }

  /** Sends the head of the answer; does nothing if the client has disconnected. */
  writeHead(code: number, headers: OutgoingHttpHeaders = {}): this {
    const { stream } = this;
    if (stream.destroyed || stream.closed) return this;
    this.status = code;
    for (const name in headers) this.setHeader(name, headers[name]);
    const head = (this.headers ??= {});
    head[':status'] = code;
    stream.respond(head);
    return this;
  }

  flushHeaders(): void {
    if (!this.stream.headersSent) this.writeHead(this.status);
  }

  writeContinue(): void {
    const { stream } = this;
    if (!stream.headersSent && !stream.destroyed && !stream.closed)
      stream.additionalHeaders({ ':status': 100 });
  }

  /** False if the client is slow or has disconnected. */
  write(chunk: Buffer | string, encoding?: BufferEncoding | Done, done?: Done): boolean {
    const { stream } = this;
    if (this.writableEnded || stream.destroyed || stream.closed) return false;
    this.flushHeaders();
    // As for an answer without a body, such as to a HEAD.
    if (stream.writableEnded) return true;
    const callback = typeof encoding === 'function' ? encoding : done;
    if (chunk.length > 0) return stream.write(bytesOf(chunk, encoding), callback);
    // Written with others and as the last, Node 20 would call them done too early, and send other memory in their place.
    if (callback !== undefined) process.nextTick(callback);
    return true;
  }

  /** `done` is called when all of it was sent, but not if the client disconnects before. */
  end(chunk?: Buffer | string | null | Done, encoding?: BufferEncoding | Done, done?: Done): this {
    if (typeof chunk === 'function') return this.end(undefined, chunk);
    if (typeof encoding === 'function') return this.end(chunk, undefined, encoding);
    const { stream } = this;
    if (this.ended || stream.destroyed || stream.closed) return this;
    this.flushHeaders();
    this.ended = true;
    if (stream.writableEnded) {
      if (done !== undefined) process.nextTick(done);
      return this;
    }
    if (done !== undefined) stream.once('finish', done);
    if (chunk === undefined || chunk === null || chunk.length === 0) stream.end();
    else stream.end(bytesOf(chunk, encoding));
    return this;
  }

  destroy(error?: Error): this {
    this.stream.destroy(error);
    return this;
  }

  on(event: string, listener: (...args: unknown[]) => void): this {
    this.stream.on(event, listener);
    return this;
  }

  once(event: string, listener: (...args: unknown[]) => void): this {
    this.stream.once(event, listener);
    return this;
  }

  emit(event: string, ...values: unknown[]): boolean {
    return this.stream.emit(event, ...values);
  }

  listenerCount(event: string): number {
    return this.stream.listenerCount(event);
  }

  removeListener(event: string, listener: (...args: unknown[]) => void): this {
    return this.off(event, listener);
  }

  off(event: string, listener: (...args: unknown[]) => void): this {
    this.stream.off(event, listener);
    return this;
  }
}

/** Text as bytes, which Node keeps until they are sent. */
const bytesOf = (chunk: Buffer | string, encoding?: BufferEncoding | Done): Buffer =>
  typeof chunk === 'string' ? Buffer.from(chunk, typeof encoding === 'string' ? encoding : 'utf8') : chunk;
