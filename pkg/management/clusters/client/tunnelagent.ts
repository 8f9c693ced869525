/** TLS over connections to a cluster that the caller opens, verified as over dialed ones. */
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';

/** Connects to the API server of the cluster, whatever the URL of the request. Rejects with a StatusError. */
export type Dial = () => Promise<Duplex>;

export class TunnelAgent extends Agent {
  constructor(
    options: AgentOptions,
    private readonly dial: Dial,
  ) {
    super(options);
  }

  /** The certificate must be valid for the host of the URL. The socket emits TLS errors. */
  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    void this.connected(options).then(
      (socket) => callback?.(null, socket),
      // Node passes the error on, and ignores the stream.
      (error: Error) => callback?.(error, new Duplex()),
    );
  }

  private async connected({ ca, cert, key, servername, host }: RequestOptions): Promise<Duplex> {
    const socket = await this.dial();
    return connect({ ca, cert, key, servername, host: host ?? undefined, socket, rejectUnauthorized: true });
  }
}
