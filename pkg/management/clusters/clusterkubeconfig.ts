/**
 * ClusterKubeconfig: users can only use credentials through a Cluster that they could read. Naming a Secret as its
 * kubeconfig requires `get` on the Secret, and `spec.local`, which uses the server's credentials, requires it on all
 * Secrets. The user is recorded in the same commit.
 */
import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import { asKind, type KubeObject } from '../../../api/resource.js';
import { forbidden, quote } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import { lastingHolderOf, type People } from '../standingrights/standing.js';
import { kubeconfigRecordKey, kubeconfigRecordValue, type SecretName } from './kubeconfigrecord.js';
import { sameJson } from '../../registry/object/metadata.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { requestFor } from '../../apimachinery/attributes.js';
import { Secret } from '../../../api/core/v1/secret.js';

/** `find`: a cached Secret; undefined if there is none, or another API server stores it. */
export function clusterKubeconfig(
  authorizer: Pick<Authorizer, 'authorize'>,
  people: People,
  find: (secret: SecretName) => KubeObject | undefined,
): AdmissionPlugin {
  return {
    name: 'ClusterKubeconfig',
    concerns: kindsOf('management.svc.example', 'Cluster'),
    async validate({ definition, subresource, name, requester }, object, previous) {
      if (subresource !== '' || object === undefined) return;
      const mayGet = async (namespace: string, secret: string): Promise<boolean> =>
        (await authorizer.authorize(requester, requestFor('get', Secret, { namespace, name: secret })))
          .allowed;
      if (isLocal(object) && !isLocal(previous) && !(await mayGet('', '')))
        throw forbidden(
          definition,
          name,
          `User ${quote(requester.name)} cannot get secrets in all namespaces`,
        );
      const config = configOf(object);
      if (config === undefined || sameJson(config, configOf(previous))) return;
      const { secretName = '', secretNamespace = '' } = config;
      if (!(await mayGet(secretNamespace, secretName))) {
        const what = `secrets ${quote(secretName)} in namespace ${quote(secretNamespace)}`;
        throw forbidden(definition, name, `User ${quote(requester.name)} cannot get ${what}`);
      }
      const of = { namespace: secretNamespace, name: secretName };
      const holder = lastingHolderOf(requester, people, Date.now());
      const secret = find(of)?.metadata.uid;
      const value = kubeconfigRecordValue({ of, holder, ...(secret !== undefined && { secret }) });
      const key = kubeconfigRecordKey(object.metadata.name ?? name);
      return { writes: [{ key, value, expect: 'any' }] };
    },
  };
}

const isLocal = (cluster: KubeObject | undefined): boolean => asKind(Cluster, cluster)?.spec?.local === true;

const configOf = (cluster: KubeObject | undefined): NonNullable<Cluster['spec']>['config'] =>
  asKind(Cluster, cluster)?.spec?.config;
