import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

/** Of any event. */
type Listener = Parameters<ServerHttp2Stream['on']>[1];

/** In place of the socket of a closed connection. */
const NO_SOCKET = {} as Socket;

/**
 * An HTTP/2 request for the server: the members of `IncomingMessage`, and the body from the stream itself, while
 * `Http2ServerRequest` of `node:http2` is a second stream over it. Express gets one of those
 * (`pkg/server/routes/http2objects.ts`).
 */
export class Http2Request {
  readonly httpVersion = '2.0';
  readonly httpVersionMajor = 2;
  readonly httpVersionMinor = 0;
  readonly method: string;
  url: string;

  constructor(
    readonly stream: ServerHttp2Stream,
    readonly headers: IncomingHttpHeaders,
    _options: unknown,
    readonly rawHeaders: string[],
  ) {
    this.method = headers[':method']!;
    this.url = headers[':path']!;
    // The end of the stream has the outcome.
    stream.on('error', ignore);
  }

  get socket(): Socket {
    return this.stream.session?.socket ?? NO_SOCKET;
  }

  /** Whether the whole request was received and read. */
  get complete(): boolean {
    const { stream } = this;
    return stream.readableEnded || stream.aborted || stream.destroyed;
  }

  on(event: string, listener: Listener): this {
    this.stream.on(event, listener);
    return this;
  }

  once(event: string, listener: Listener): this {
    this.stream.once(event, listener);
    return this;
  }

  removeAllListeners(event: 'data'): this {
    this.stream.removeAllListeners(event);
    return this;
  }

  resume(): this {
    this.stream.resume();
    return this;
  }
}

const ignore = (): void => undefined;
