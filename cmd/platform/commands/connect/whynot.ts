/** Why the server does not reach a cluster by its kubeconfig, in words for whoever wrote it. */
import { isIP } from 'node:net';
import { isUntrusted } from '../../connection/unreachable.js';

/** The flag of the server that a refused address is told with. */
const NETWORKS_FLAG = '--allow-cluster-networks';

export interface WhyNot {
  readonly said: string;
  /** What to do, before the command runs again. */
  readonly mend: string;
  /** Whether waiting does not help. */
  readonly isFinal: boolean;
}

/** Reasons in the status of a Cluster that does not become ready by itself. */
const FINAL: readonly unknown[] = [
  'KubeconfigRefused',
  'CertificateRefused',
  'Revoked',
  'Unauthorized',
  'Forbidden',
];
const LATE = 'it did not answer in time';
const NO_TLS = /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST))$/;

/** `server`: the URL in the kubeconfig. `message`, `reason`: of the status of the Cluster. */
export function whyNot(server: string, message: string, reason: string | undefined): WhyNot {
  const isFinal = FINAL.includes(reason);
  if (message.includes(NETWORKS_FLAG)) return { said: message, mend: mendAddress(server), isFinal };
  const { host } = new URL(server);
  // A failure of the network ends with its code.
  const code = message.slice(message.lastIndexOf(' ') + 1);
  if (isUntrusted(code))
    return {
      said: message,
      mend: 'put the authority of the cluster into certificate-authority-data of the kubeconfig',
      isFinal,
    };
  const mend = 'mend the kubeconfig';
  if (NO_TLS.test(code)) return { said: `${host} does not speak TLS`, mend, isFinal: true };
  const start = `start the cluster, or mend the address in the kubeconfig${isLoopback(server) ? ', which is of the machine of the server,' : ''}`;
  if (code === 'ECONNREFUSED') return { said: `nothing listens on ${host}`, mend: start, isFinal };
  if (message.endsWith(LATE) || /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code))
    return { said: `${host} does not answer the server`, mend: start, isFinal };
  return { said: message, mend, isFinal };
}

/** The server does not tell a name without an address from one whose addresses it does not connect to. */
function mendAddress(server: string): string {
  const { hostname } = new URL(server);
  const restart = `restart the server with ${NETWORKS_FLAG} ${networkOf(server)}`;
  return isAddress(hostname) ? restart : `see that the name ${hostname} is right, or ${restart}`;
}

const isAddress = (hostname: string): boolean =>
  hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;

/** Whether a URL leads to the machine that it is used on. */
export const isLoopback = (server: string): boolean => /^127\.|^::1/.test(networkOf(server));

/** For the flag. */
export function networkOf(server: string): string {
  const host = new URL(server).hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost') return '127.0.0.0/8,::1';
  if (isIP(host) === 0) return `CIDR, the network of ${host},`;
  return host.startsWith('127.') ? '127.0.0.0/8' : host;
}
