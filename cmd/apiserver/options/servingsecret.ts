import type { ObjectKey } from '../../../api/resource.js';
import type { ServingRequirements } from '../../../pkg/pki/servingsecret/plan.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import type { Options } from './options.js';

export interface ServingSecretConfig extends ServingRequirements {
  readonly secret: ObjectKey;
  readonly apiService: string | undefined;
}

/** Undefined without `--serving-secret`. Throws StartError for invalid options. */
export function servingSecretOf(options: Options): ServingSecretConfig | undefined {
  const { servingSecret: secret, service, apiService } = options;
  const lives = { authorityMs: options.servingAuthorityLife, servingMs: options.servingCertificateLife };
  if (secret === undefined) {
    for (const [flag, value] of [['service', service] as const, ['api-service', apiService] as const])
      if (value !== undefined) throw new StartError(`--${flag} requires --serving-secret`);
    return undefined;
  }
  if (options.tlsCertFile !== undefined)
    throw new StartError('--tls-cert-file and --serving-secret are mutually exclusive');
  if (lives.authorityMs < 3 * lives.servingMs)
    throw new StartError(
      '--serving-authority-life must be at least three times as long as --serving-certificate-life',
    );
  return { secret, apiService, names: namesOf(service ?? secret), lives };
}

/** The names of a Service in the cluster, and of the machine itself for `kubectl port-forward`. */
function namesOf({ namespace, name }: ObjectKey): string[] {
  const service = `${name}.${namespace}.svc`;
  const inCluster = [name, `${name}.${namespace}`, service, `${service}.cluster.local`];
  return [...inCluster, 'localhost', '127.0.0.1', '::1'];
}
