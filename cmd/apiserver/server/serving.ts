import type { Handler } from '../../../pkg/server/httpexchange.js';
import { listen, type Listener, type ListenerOptions } from '../../../pkg/server/listener/listener.js';
import type { Newcomers } from '../../../pkg/server/listener/newcomers.js';
import { loggableError } from '../../../pkg/server/logging/loggableerror.js';
import type { Logger } from '../../../pkg/server/logging/log.js';
import type { KeyPair } from '../../../pkg/pki/issue.js';
import { localUrl } from '../../../pkg/pki/kubeconfig.js';
import { tunnelUpgrade } from '../../../pkg/tunnel/upgrades.js';
import { renewServing } from '../../../pkg/pki/renewal.js';
import type { WatchRegistry } from '../../../pkg/server/watch/watchregistry.js';
import { DRAIN_MS, type ShutdownHooks } from './shutdownhooks.js';
import type { Config } from '../options/complete.js';
import type { ServerState } from './telemetry.js';
import { inWords, StartError } from '../../../pkg/apimachinery/starterror.js';

/** How often an operator's certificate is read again; a kubelet updates a mounted Secret as often. */
const OWN_CERTIFICATE_MS = 60_000;

export interface ServingParts {
  readonly config: Config;
  readonly log: Logger;
  /** Returns the current serving certificate. */
  readonly loadCertificate: () => KeyPair | Promise<KeyPair>;
  /** Calls `use` with each new certificate, if changes are reported. */
  readonly followCertificate?: (use: (pair: KeyPair) => void) => void;
  readonly handler: Handler;
  readonly newcomers: Newcomers;
  readonly watches: WatchRegistry;
  readonly state: ServerState;
  readonly shutdownHooks: ShutdownHooks;
}

export interface Serving {
  /** The URL for clients on this machine. */
  readonly url: string;
  /** The certificate at the start. */
  readonly certificate: KeyPair;
  /** Makes `/readyz` fail, so that clients switch to other servers; requests are still served. */
  leave(): void;
}

/**
 * Listens, and serves the current certificate. Closing ends watches and drains requests. Throws StartError if
 * it cannot listen, and the error of a certificate that cannot be loaded.
 */
export async function openServing(parts: ServingParts): Promise<Serving> {
  const { config, log, loadCertificate, watches, state, shutdownHooks } = parts;
  const certificate = await loadCertificate();
  const listener = await openListener(parts, certificate);
  state.certificate = certificate.certificate;
  const use = (pair: KeyPair): void => {
    listener.setCertificate(tlsOf(pair));
    state.certificate = pair.certificate;
  };
  parts.followCertificate?.(use);
  const everyMs = config.ownCertificate === undefined ? undefined : OWN_CERTIFICATE_MS;
  const failed = (error: unknown): void =>
    log.error({ reason: inWords(error) }, 'the serving certificate could not be renewed');
  const renewal = renewServing(certificate, loadCertificate, use, failed, everyMs);
  shutdownHooks.push(async () => {
    state.stopping = state.refusing = true;
    renewal.stop();
    const drained = listener.drain(DRAIN_MS);
    watches.shutdown();
    await drained;
  });
  const leave = (): void => {
    state.stopping = true;
    listener.leave();
  };
  return { url: localUrl(config.bindAddress, listener.port), certificate, leave };
}

const tlsOf = ({ certificate, key }: KeyPair): ListenerOptions['tls'] => ({ cert: certificate, key });

async function openListener(
  { config, log, newcomers, handler }: ServingParts,
  certificate: KeyPair,
): Promise<Listener> {
  const { bindAddress: address, port, limits } = config;
  const clientCertificates = config.host !== undefined || config.clientAuthorities !== undefined;
  const failed = (error: unknown): void => {
    log.error({ error: loggableError(error) }, 'a request broke off');
  };
  try {
    const serving = {
      handler,
      failed,
      newcomers,
      upgrades: tunnelUpgrade,
      ...(limits.streams !== undefined && { streamsPerConnection: limits.streams }),
    };
    return await listen({ address, port, tls: tlsOf(certificate), clientCertificates, ...serving });
  } catch (error) {
    throw new StartError(`cannot listen on ${address} port ${port}: ${inWords(error)}`, { cause: error });
  }
}
