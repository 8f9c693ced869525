/** Probes a cluster. */
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { StatusError } from '../../../apimachinery/errors.js';
import { KubeconfigRevoked, type ClusterClient } from '../client/interface.js';
import type { WantedCondition } from '../../../controllers/condition.js';

export interface Probed {
  readonly phase: 'Pending' | 'Ready' | 'Failed';
  readonly online: boolean;
  /** In CamelCase. */
  readonly reason: string;
  readonly message: string;
  readonly conditions: readonly WantedCondition[];
  /** The version of Kubernetes; absent: the cluster does not report it. */
  readonly version?: string;
  /** The duration of the request, in ms; absent: there was no response. */
  readonly latencyMs?: number;
}

/** The maximum length of a version, in characters, and of the response with it, in bytes. */
const LONGEST_VERSION = 100;
const MAX_BYTES = 64 * 1024;

/**
 * Requests the version of the cluster with the credentials of its kubeconfig. Rejects only with errors other
 * than a failed request.
 */
export async function probe(
  cluster: Cluster,
  clusters: Pick<ClusterClient, 'connect' | 'agents'>,
): Promise<Probed> {
  const { name = '' } = cluster.metadata;
  const { secretName = '' } = cluster.spec?.config ?? {};
  const isReached = secretName !== '' || cluster.spec?.local === true || clusters.agents(name) !== undefined;
  if (!isReached) return { ...refused('NoKubeconfig', NO_WAY), phase: 'Pending' };
  try {
    const connection = await clusters.connect(name);
    const began = performance.now();
    const { status, object } = await connection.request({
      method: 'GET',
      path: '/version',
      maxBytes: MAX_BYTES,
    });
    const latencyMs = performance.now() - began;
    if (status === 200) return { ...answered(versionIn(object)), latencyMs };
    const reason = status === 401 ? 'Unauthorized' : status === 403 ? 'Forbidden' : 'BadAnswer';
    return failed(reason, `cluster "${name}" answers ${status} to a request for its version`);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error instanceof KubeconfigRevoked) return refused('Revoked', `${error.why}; ${RENEWED}`);
    const { code, message } = error;
    if (code !== 504) return refused('KubeconfigRefused', message);
    return failed(hasWrongCertificate(message) ? 'CertificateRefused' : 'Unreachable', message);
  }
}

/** What Node says of a certificate that stays wrong until somebody mends it, or the kubeconfig. */
const WRONG_CERTIFICATE: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_REJECTED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The code is the last word of the message. */
const hasWrongCertificate = (message: string): boolean =>
  WRONG_CERTIFICATE.has(message.slice(message.lastIndexOf(' ') + 1));

const NO_WAY = 'spec.config names no Secret, and no agent is connected';
const RENEWED =
  'the kubeconfig is used again with that right, or when somebody who may get the Secret takes spec.config off and sets it again';

/** A cluster may answer anything: only printable text counts as a version. */
const versionIn = ({ gitVersion }: Readonly<Record<string, unknown>>): string =>
  typeof gitVersion === 'string' ? gitVersion.slice(0, LONGEST_VERSION).replace(/[^!-~]/g, '') : '';

function answered(version: string): Probed {
  const message =
    version === '' ? 'the cluster answers' : `the cluster answers, and is of version ${version}`;
  return {
    phase: 'Ready',
    online: true,
    reason: 'Online',
    message,
    conditions: [accepted('True', 'Accepted', ''), online('True', 'Online', message)],
    ...(version !== '' && { version }),
  };
}

function failed(reason: string, message: string): Probed {
  const conditions = [accepted('True', 'Accepted', ''), online('False', reason, message)];
  return { phase: 'Failed', online: false, reason, message, conditions };
}

function refused(reason: string, message: string): Probed {
  const conditions = [accepted('False', reason, message), online('Unknown', reason, '')];
  return { phase: 'Failed', online: false, reason, message, conditions };
}

type State = WantedCondition['status'];

const accepted = (status: State, reason: string, message: string): WantedCondition => ({
  type: 'KubeconfigAccepted',
  status,
  reason,
  message,
});
const online = (status: State, reason: string, message: string): WantedCondition => ({
  type: 'Online',
  status,
  reason,
  message,
});
