/** The external address of a virtual cluster. */
import type { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { KubeObject } from '../../../../api/resource.js';
import { badRequest } from '../../../apimachinery/errors.js';

/** Annotation of a Cluster: the domain of its virtual clusters' ingresses. */
const INGRESS_SUFFIX = 'management.svc.example/ingress-suffix';
/** A DNS name or an IPv4 address, with the port unless it is 443. */
const HOST = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*(:\d{1,5})?$/;

/** The URL of the ingress; `project`: the instance's. Throws StatusError 400 if there is none. */
export function ingressUrl(
  instance: VirtualClusterInstance,
  cluster: KubeObject | undefined,
  project: string | undefined,
): string {
  const { name = '' } = instance.metadata;
  const none = (why: string): Error =>
    badRequest(`virtual cluster "${name}" has no ingress endpoint: ${why}`);
  if (instance.spec?.accessPoint?.ingress?.enabled !== true)
    throw none(
      'spec.accessPoint.ingress.enabled is not true; set it if there is an ingress: without one, people reach it by an agent in its cluster',
    );
  const reported = instance.status?.virtualCluster?.accessPoint?.ingress?.host ?? '';
  const suffix = cluster?.metadata.annotations?.[INGRESS_SUFFIX] ?? '';
  const derived =
    suffix === '' || project === undefined ? '' : `${name}-${project}.${suffix.replace(/^\./, '')}`;
  const host = reported === '' ? derived : reported;
  if (host === '')
    throw none(`neither its status names a host, nor its cluster the annotation ${INGRESS_SUFFIX}`);
  if (!HOST.test(host)) throw none('its host is not a valid host name');
  return `https://${host}`;
}
