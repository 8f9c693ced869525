/** The place of an instance in a connected cluster, which the server chooses by default. */
import { createHash } from 'node:crypto';
import { dns1123Subdomain } from '../../apimachinery/validation/names.js';
import type { Instance } from '../asinstance.js';

type ClusterRef = NonNullable<NonNullable<Instance['spec']>['clusterRef']>;

const DIGEST = 10;
const LONGEST_NAME = 63;

/** Keeps the fields that an update omits. */
export function keepClusterRef(next: Instance, previous: Instance): void {
  const before = previous.spec?.clusterRef;
  if (before?.namespace === undefined) return;
  next.spec = { ...next.spec, clusterRef: { ...before, ...next.spec?.clusterRef } };
}

/** Chooses the namespace and the virtual cluster if the cluster is named. */
export function fillClusterRef(instance: Instance, hasVirtualCluster: boolean): void {
  const ref = instance.spec?.clusterRef;
  if ((ref?.cluster ?? '') === '') return;
  const { metadata } = instance;
  // Validation refuses the name, and should not also report a place that is derived from it.
  if (dns1123Subdomain(metadata.name ?? '').length > 0) return;
  const filled: ClusterRef = { ...ref };
  if ((filled.namespace ?? '') === '') filled.namespace = chosenNamespace(metadata);
  if (hasVirtualCluster && (filled.virtualCluster ?? '') === '')
    filled.virtualCluster = chosenVirtualCluster(metadata);
  instance.spec = { ...instance.spec, clusterRef: filled };
}

/**
 * The host namespace that the server chooses. It is unique among instances of all projects, and no client can choose
 * it for a new instance, since it depends on the uid.
 */
export function chosenNamespace({ name = '', uid = '' }: Instance['metadata']): string {
  const digest = createHash('sha256').update(uid).digest('hex').slice(0, DIGEST);
  return `instance-${label(name, LONGEST_NAME - DIGEST - 'instance--'.length)}-${digest}`;
}

/** The instance's name, which is unique in its host namespace. */
export function chosenVirtualCluster({ name = '' }: Instance['metadata']): string {
  return label(name, LONGEST_NAME - 'vc-'.length);
}

/** Shortens a name to a DNS label. */
function label(name: string, longest: number): string {
  return name.replaceAll('.', '-').slice(0, longest).replace(/-+$/, '');
}
