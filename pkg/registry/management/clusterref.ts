/** The place of an instance in a connected cluster: the server chooses it where the writer names none. */
import { createHash } from 'node:crypto';
import { dns1123Subdomain } from '../../apimachinery/validation/names.js';
import type { Instance } from './asinstance.js';

type ClusterRef = NonNullable<NonNullable<Instance['spec']>['clusterRef']>;

const DIGEST = 10;
const LONGEST_NAME = 63;

/** What is once set stays where an update leaves it out. */
export function keepClusterRef(next: Instance, previous: Instance): void {
  const before = previous.spec?.clusterRef;
  if (before?.namespace === undefined) return;
  next.spec = { ...next.spec, clusterRef: { ...before, ...next.spec?.clusterRef } };
}

/** Names the place in the cluster that is named. */
export function fillClusterRef(instance: Instance, hasVirtualCluster: boolean): void {
  const ref = instance.spec?.clusterRef;
  if ((ref?.cluster ?? '') === '') return;
  const { metadata } = instance;
  // The name is refused then, which is not to be told of a place that is made of it.
  if (dns1123Subdomain(metadata.name ?? '').length > 0) return;
  const filled: ClusterRef = { ...ref };
  if ((filled.namespace ?? '') === '') filled.namespace = chosenNamespace(metadata);
  if (hasVirtualCluster && (filled.virtualCluster ?? '') === '')
    filled.virtualCluster = chosenVirtualCluster(metadata);
  instance.spec = { ...instance.spec, clusterRef: filled };
}

/**
 * The host namespace that the server chooses: no other instance is ever given it, wherever its project. Nobody but the
 * server can choose it for a new instance, since the uid is made by it.
 */
export function chosenNamespace({ name = '', uid = '' }: Instance['metadata']): string {
  const digest = createHash('sha256').update(uid).digest('hex').slice(0, DIGEST);
  return `instance-${label(name, LONGEST_NAME - DIGEST - 'instance--'.length)}-${digest}`;
}

/** Alone in its host namespace, so its own name will do. */
export function chosenVirtualCluster({ name = '' }: Instance['metadata']): string {
  return label(name, LONGEST_NAME - 'vc-'.length);
}

/** As much of a name as a DNS label holds. */
function label(name: string, longest: number): string {
  return name.replaceAll('.', '-').slice(0, longest).replace(/-+$/, '');
}
