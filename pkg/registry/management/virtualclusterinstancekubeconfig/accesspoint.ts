/** Where a virtual cluster is reached from outside. */
import type { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { KubeObject } from '../../../../api/resource.js';
import { badRequest } from '../../../apimachinery/errors.js';

/** On a Cluster: what the names of its virtual clusters' ingresses end with. */
const INGRESS_SUFFIX = 'management.svc.example/ingress-suffix';
/** A DNS name or an IPv4 address, with a port where it is not 443. */
const HOST = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*(:\d{1,5})?$/;

/** The URL of its ingress; `project`: the one it is in. Throws StatusError 400 where it has none. */
export function ingressUrl(
  instance: VirtualClusterInstance,
  cluster: KubeObject | undefined,
  project: string | undefined,
): string {
  const { name = '' } = instance.metadata;
  const none = (why: string): Error =>
    badRequest(`virtual cluster "${name}" has no ingress endpoint: ${why}`);
  if (instance.spec?.accessPoint?.ingress?.enabled !== true)
    throw none('spec.accessPoint.ingress.enabled is not true');
  const told = instance.status?.virtualCluster?.accessPoint?.ingress?.host ?? '';
  const suffix = cluster?.metadata.annotations?.[INGRESS_SUFFIX] ?? '';
  const derived =
    suffix === '' || project === undefined ? '' : `${name}-${project}.${suffix.replace(/^\./, '')}`;
  const host = told === '' ? derived : told;
  if (host === '')
    throw none(`neither its status names a host, nor its cluster the annotation ${INGRESS_SUFFIX}`);
  if (!HOST.test(host)) throw none('what is given as its host is no host name');
  return `https://${host}`;
}
