/**
 * The trusted client and front proxy authorities, from the host's ConfigMap and a flag, reloaded when they change.
 */
import type { HostClient } from '../../hostclient/interface.js';
import { readConfigMap } from './configmap.js';
import { lookUp, WHAT } from './lookup.js';
import { checkTrust, type ClientTrust } from './settings.js';

export interface TrustOptions {
  readonly host: Pick<HostClient, 'send' | 'watch'>;
  /**
   * The authorities of users' certificates that a flag names, whose file is read at each call. They take precedence over
   * those of the ConfigMap; undefined: none are named. Throws Error.
   */
  readonly clients: () => ClientTrust['clients'];
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

/** Interval at which the file of the flag is reloaded. */
const OWN_EVERY_MS = 10_000;
const NOBODY: ClientTrust = { clients: undefined, proxy: undefined };

/** Throws Error for invalid settings of operators. */
export function openDynamicTrust({ host, clients, report }: TrustOptions): DynamicTrust {
  let fromFlag = clients();
  let fromConfigMap = NOBODY;
  let current = joined(fromFlag, fromConfigMap);
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
      checkTrust(joined(fromFlag, next));
      fromConfigMap = next;
      current = joined(fromFlag, fromConfigMap);
      if (current.proxy === undefined)
        report(`${WHAT} is of little use`, new Error('it names no front proxy'));
      else begin();
    } catch (error) {
      report(`${WHAT} is not followed`, error);
    }
  }
  function readFlag(): void {
    try {
      const read = clients();
      const next = read?.pem === fromFlag?.pem ? fromFlag : read;
      checkTrust(joined(next, fromConfigMap));
      fromFlag = next;
      current = joined(fromFlag, fromConfigMap);
    } catch (error) {
      report('the authorities that --client-ca-file names are not followed', error);
    }
  }
  const rereading = setInterval(readFlag, OWN_EVERY_MS).unref();
  const failed = (error: unknown): void => report(`${WHAT} cannot be read`, error);
  void lookUp(host, { take, failed }, stopped.signal);
  return {
    current: () => current,
    ready,
    close() {
      clearInterval(rereading);
      stopped.abort();
    },
  };
}

const joined = (clients: ClientTrust['clients'], found: ClientTrust): ClientTrust =>
  clients === undefined ? found : { clients, proxy: found.proxy };

/** Keeps equal settings the same object, so that cached verifications stay valid. */
function kept(before: ClientTrust, next: ClientTrust): ClientTrust {
  const clients = next.clients?.pem === before.clients?.pem ? before.clients : next.clients;
  const proxy = textOf(next.proxy) === textOf(before.proxy) ? before.proxy : next.proxy;
  return clients === before.clients && proxy === before.proxy ? before : { clients, proxy };
}

const textOf = (proxy: ClientTrust['proxy']): string | undefined =>
  JSON.stringify(proxy && { ...proxy, authorities: proxy.authorities.pem });
