/** Connections to a cluster that somebody else makes: TLS is spoken over them, and verified, as over those that are dialed. */
import { Agent } from 'node:https';
import type { AgentOptions, RequestOptions } from 'node:https';
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';

/** Bytes go to the API server of the cluster, whatever the URL of the request says. Rejects with a StatusError. */
export type Dial = () => Promise<Duplex>;

export class TunnelAgent extends Agent {
  constructor(
    options: AgentOptions,
    private readonly dial: Dial,
  ) {
    super(options);
  }

  /** The certificate must be valid for the host of the URL. Errors of TLS are told of the socket. */
  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    void this.connected(options).then(
      (socket) => callback?.(null, socket),
      // Node hands the error on, and takes no stream with it.
      (error: Error) => callback?.(error, new Duplex()),
    );
  }

  private async connected({ ca, cert, key, servername, host }: RequestOptions): Promise<Duplex> {
    const socket = await this.dial();
    return connect({ ca, cert, key, servername, host: host ?? undefined, socket, rejectUnauthorized: true });
  }
}
