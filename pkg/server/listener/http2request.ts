import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

/** Of any event. */
type Listener = Parameters<ServerHttp2Stream['on']>[1];

/** Where the connection is gone, nothing is known of it. */
const NO_SOCKET = {} as Socket;

/**
 * A request of HTTP/2 as the server uses one: what `IncomingMessage` says of it, and its body as the stream has it, where
 * `Http2ServerRequest` of `node:http2` is a second stream over the first. That one is made where Express asks for it
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
    // What becomes of a stream is told by its end.
    stream.on('error', ignore);
  }

  get socket(): Socket {
    return this.stream.session?.socket ?? NO_SOCKET;
  }

  /** Whether nothing more of it comes, and what came was read. */
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
