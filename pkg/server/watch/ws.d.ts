declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  /** The members of a connection that this server uses. */
  export class WebSocket extends EventEmitter {
    /** A client. */
    constructor(url: string, protocols: readonly string[], options: object);
    readonly readyState: 0 | 1 | 2 | 3;
    readonly protocol: string;
    send(message: Buffer, options: { readonly binary: boolean }): void;
    close(code: number, reason?: string): void;
    terminate(): void;
  }

  export interface ServerOptions {
    readonly noServer: true;
    readonly clientTracking: false;
    readonly perMessageDeflate: false;
    /** Bytes; a longer message ends the connection. */
    readonly maxPayload: number;
    /** Chooses one of the subprotocols that are offered, or none. */
    readonly handleProtocols: (offered: ReadonlySet<string>) => string | false;
  }

  export class WebSocketServer {
    constructor(options: ServerOptions);
    /** Before a handshake is answered, with its header lines. */
    on(event: 'headers', listener: (lines: string[]) => void): void;
    /** A bad handshake, which the listener answers. */
    on(event: 'wsClientError', listener: (error: Error, socket: Duplex) => void): void;
    /** Does not call back if the handshake is invalid. */
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      accepted: (webSocket: WebSocket) => void,
    ): void;
  }
}
