import { ignoring } from '../ignorederrors.js';
import { resourceOf, type Controller } from '../interface.js';
import { followActiveNamespaces, isActiveNamespace } from '../namespaces.js';
import { uidOf } from '../target.js';
import { ConfigMap } from '../../../api/core/v1/configmap.js';

const NAME = 'kube-root-ca.crt';
const KEY = 'ca.crt';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
const annotations = { 'kubernetes.io/description': DESCRIPTION };

/**
 * Keeps the server's certificate authority in a ConfigMap `kube-root-ca.crt` of each namespace. An immutable
 * one with other content is deleted and recreated.
 */
export const rootCaController: Controller<{ readonly authority: string }> = {
  name: 'root-ca-certificate-publisher-controller',
  user: 'root-ca-cert-publisher',
  workers: 4,
  start(context) {
    const configMaps = resourceOf(context.client, ConfigMap);
    const data = { [KEY]: context.authority };
    followActiveNamespaces(context, configMaps, NAME);
    return {
      async reconcile(namespace) {
        if (!isActiveNamespace(context, namespace)) return;
        const found = configMaps.cached({ namespace, name: NAME })?.object();
        if (found === undefined) {
          const metadata = { name: NAME, annotations };
          const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data };
          return ignoring([403, 404, 409], configMaps.create(namespace, object));
        }
        if (isAsItShould(found.data, context.authority)) return;
        if (found.immutable === true) {
          return ignoring([404, 409], configMaps.delete({ namespace, name: NAME }, { uid: uidOf(found) }));
        }
        const change = configMaps.update({ namespace, name: NAME }, (copy) => ({ ...copy, data }));
        await ignoring([404], change);
      },
    };
  },
};

function isAsItShould(data: ConfigMap['data'], authority: string): boolean {
  const found = data ?? {};
  return Object.keys(found).length === 1 && found[KEY] === authority;
}
