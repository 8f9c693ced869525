/**
 * The trusted client and front proxy authorities, from flags and from the host's ConfigMap, reloaded when they change.
 */
import type { HostClient } from '../../hostclient/interface.js';
import { readConfigMap } from './configmap.js';
import { lookUp, WHAT } from './lookup.js';
import { checkTrust, type ClientTrust } from './settings.js';

export interface TrustOptions {
  /** Undefined: the ConfigMap is not read. */
  readonly host: Pick<HostClient, 'send' | 'watch'> | undefined;
  /**
   * The settings of flags, whose files are read at each call. They take precedence over the ConfigMap. Throws Error.
   */
  readonly own: () => ClientTrust;
  /** Whether to start although the ConfigMap cannot be read. */
  readonly tolerant: boolean;
  /** Receives each problem, every time that it is found. */
  readonly report: (problem: string, error: unknown) => void;
}

export interface DynamicTrust {
  /** The last valid settings. */
  current(this: void): ClientTrust;
  /** Resolves when valid settings are loaded, which may take forever. Never rejects. */
  readonly ready: Promise<void>;
  close(this: void): void;
}

/** Interval at which the files of flags are reloaded. */
const OWN_EVERY_MS = 10_000;
const NOBODY: ClientTrust = { clients: undefined, proxy: undefined };

/** Throws Error for invalid settings of operators. */
export function openDynamicTrust({ host, own, tolerant, report }: TrustOptions): DynamicTrust {
  let fromFlags = own();
  let fromConfigMap = NOBODY;
  let current = joined(fromFlags, fromConfigMap);
  checkTrust(current);
  const stopped = new AbortController();
  let begin: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (begin = resolve));

  function take(object: unknown): void {
    try {
      const found = readConfigMap(object);
      // As in Kubernetes, a half that is not there any more stays in force.
      const next = kept(fromConfigMap, {
        clients: found.clients ?? fromConfigMap.clients,
        proxy: found.proxy ?? fromConfigMap.proxy,
      });
      checkTrust(joined(fromFlags, next));
      fromConfigMap = next;
      current = joined(fromFlags, fromConfigMap);
      if (current.proxy === undefined)
        report(`${WHAT} is of little use`, new Error('it names no front proxy'));
      else begin();
    } catch (error) {
      report(`${WHAT} is not followed`, error);
    }
    if (tolerant) begin();
  }
  function readOwn(): void {
    try {
      const next = kept(fromFlags, own());
      checkTrust(joined(next, fromConfigMap));
      fromFlags = next;
      current = joined(fromFlags, fromConfigMap);
    } catch (error) {
      report('the authorities that flags name are not followed', error);
    }
  }
  const rereading = setInterval(readOwn, OWN_EVERY_MS).unref();
  const failed = (error: unknown): void => {
    report(`${WHAT} cannot be read`, error);
    if (tolerant) begin();
  };
  if (host === undefined) begin();
  else void lookUp(host, { take, failed }, stopped.signal);
  return {
    current: () => current,
    ready,
    close() {
      clearInterval(rereading);
      stopped.abort();
    },
  };
}

const joined = (first: ClientTrust, second: ClientTrust): ClientTrust => ({
  clients: first.clients ?? second.clients,
  proxy: first.proxy ?? second.proxy,
});

/** Keeps equal settings the same object, so that cached verifications stay valid. */
function kept(before: ClientTrust, next: ClientTrust): ClientTrust {
  const clients = next.clients?.pem === before.clients?.pem ? before.clients : next.clients;
  const proxy = textOf(next.proxy) === textOf(before.proxy) ? before.proxy : next.proxy;
  return clients === before.clients && proxy === before.proxy ? before : { clients, proxy };
}

const textOf = (proxy: ClientTrust['proxy']): string | undefined =>
  JSON.stringify(proxy && { ...proxy, authorities: proxy.authorities.pem });
