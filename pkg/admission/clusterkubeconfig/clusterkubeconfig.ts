/** Nobody uses credentials through a Cluster that they could not read: naming a Secret as its kubeconfig takes `get` on it. */
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import type { KubeObject } from '../../../api/resource.js';
import { forbidden, quote } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import { sameJson } from '../../registry/metadata.js';
import type { AdmissionPlugin } from '../chain.js';

export function clusterKubeconfig(authorizer: Pick<Authorizer, 'authorize'>): AdmissionPlugin {
  return {
    name: 'ClusterKubeconfig',
    async validate({ definition, subresource, name, requester }, object, previous) {
      if (definition.group !== 'management.svc.example' || definition.kind !== 'Cluster') return;
      if (subresource !== '' || object === undefined) return;
      const config = configOf(object);
      if (config === undefined || sameJson(config, configOf(previous))) return;
      const { secretName = '', secretNamespace = '' } = config;
      const asked = {
        kind: 'resource',
        verb: 'get',
        group: '',
        version: 'v1',
        resource: 'secrets',
        subresource: '',
        namespace: secretNamespace,
        name: secretName,
      } as const;
      if ((await authorizer.authorize(requester, asked)).allowed) return;
      const what = `secrets ${quote(secretName)} in namespace ${quote(secretNamespace)}`;
      throw forbidden(definition, name, `User ${quote(requester.name)} cannot get ${what}`);
    },
  };
}

const configOf = (cluster: KubeObject | undefined): NonNullable<Cluster['spec']>['config'] =>
  (cluster as Cluster | undefined)?.spec?.config;
