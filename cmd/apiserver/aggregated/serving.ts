import type { HostClient } from '../../../pkg/hostclient/interface.js';
import { issueAuthority, issueServing, type KeyPair } from '../../../pkg/pki/issue.js';
import { servingNames } from '../../../pkg/pki/servingnames.js';
import type { Operations } from '../server/telemetry.js';
import type { ServingParts } from '../server/serving.js';
import { servingFromSecret } from './servingsecret.js';

/** The serving certificate of aggregated mode. */
export interface Certificates extends Pick<ServingParts, 'loadCertificate' | 'followCertificate'> {
  /** PEM of the authorities that clients must trust. */
  authority(): string;
}

/**
 * The operator's certificate; or the one that the servers share in the cluster, once the cluster answers; or,
 * for trials, one of an authority that lasts as long as the process. Throws StartError.
 */
export async function aggregatedCertificates(
  { config, shutdownHooks, report, log }: Operations,
  host: HostClient,
): Promise<Certificates> {
  const { ownCertificate, servingSecret, bindAddress } = config;
  if (ownCertificate !== undefined)
    return { loadCertificate: ownCertificate, authority: () => ownCertificate().certificate };
  if (servingSecret !== undefined) {
    const source = await servingFromSecret(host, servingSecret, (error) =>
      report('the serving certificate in the cluster is not kept', error),
    );
    shutdownHooks.push(() => source.stop());
    return {
      loadCertificate: source.current,
      followCertificate: source.follow,
      authority: source.authorities,
    };
  }
  log.warn('the serving certificate is known to nobody: see --serving-secret and --tls-cert-file');
  const authority = await issueAuthority('management-apiserver-ca');
  const pair: KeyPair = await issueServing(authority, servingNames(bindAddress));
  return { loadCertificate: () => pair, authority: () => authority.certificate };
}
