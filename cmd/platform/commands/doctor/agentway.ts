/** Checks of `platform doctor` on the way to an agent: name, port, certificate and clock. No token is sent. */
import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { codeOf } from '../../../../pkg/apimachinery/caught.js';
import { peerOf } from '../../connection/peer.js';
import type { Connection } from '../../connection/serverconnection.js';
import { fetchBriefly } from '../../direct/reach.js';
import { ENDPOINT, ENDPOINT_CA } from '../../direct/target.js';
import { messageOf } from '../../failure.js';
import { type Finding, ok, skipped, wrong } from '../../output/finding.js';
import { clockFinding, ending } from './way.js';

const TIMEOUT_MS = 5_000;
const THROUGH_PROXY = 'a proxy is used, which looks it up';

export async function agentAddress({ server, proxy }: Connection): Promise<Finding> {
  const host = hostOf(server);
  if (proxy !== undefined) return skipped(THROUGH_PROXY);
  if (isIP(host) !== 0) return ok(`${server.origin}, an IP address`);
  try {
    const found = await lookup(host, { all: true });
    return ok(`${server.origin}, ${found.map(({ address }) => address).join(', ')}`);
  } catch (error) {
    return wrong(
      `${host} has no address: ${codeOf(error) ?? messageOf(error)}`,
      `add it to DNS, or correct the annotation ${ENDPOINT} of the Cluster`,
    );
  }
}

/** Checks that something listens there. */
export async function agentPort({ server, proxy }: Connection): Promise<Finding> {
  if (proxy !== undefined) return skipped('a proxy is used, which connects');
  const failed = await connectionFailure(hostOf(server), Number(server.port || '443'));
  return failed === undefined
    ? ok('open')
    : wrong(
        `${server.host} takes no connection: ${failed}`,
        'look at the Service or Ingress of the agent, and at firewalls between',
      );
}

function connectionFailure(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (why: string | undefined): void => {
      socket.destroy();
      resolve(why);
    };
    socket.once('connect', () => end(undefined));
    socket.once('timeout', () => end(`no answer within ${TIMEOUT_MS / 1000} s`));
    socket.once('error', (error) => end(codeOf(error) ?? messageOf(error)));
  });
}

export async function agentCertificate(agent: Connection): Promise<Finding> {
  try {
    const { certificate } = await peerOf(agent);
    return ending(Date.parse(certificate.valid_to), 'renew the certificate of the agent (--tls-cert-file)');
  } catch (error) {
    return wrong(messageOf(error), certificateAdvice(causeOf(error)));
  }
}

function certificateAdvice(code: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `give the agent a certificate with the host of the annotation ${ENDPOINT}`;
  if (code === 'CERT_HAS_EXPIRED') return 'renew the certificate of the agent (--tls-cert-file)';
  if (code === 'CERT_NOT_YET_VALID') return 'set the clock of this machine';
  if (/^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_)/.test(code))
    return `set the annotation ${ENDPOINT_CA} of the Cluster to base64 of the authority of the agent's certificate`;
  return `look whether the annotation ${ENDPOINT} of the Cluster is the address of the agent`;
}

const causeOf = (error: unknown): string => (error instanceof Error ? codeOf(error.cause) : undefined) ?? '';

/** The agent decides by its own clock when tokens expire. */
export async function agentClock(agent: Connection): Promise<Finding> {
  const { date } = await fetchBriefly(agent, '/healthz', () => undefined);
  return clockFinding(date, 'the agent', 'set the clock of the nodes of the cluster, or of this machine');
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
