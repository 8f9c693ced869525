/** Names in OpenAPI documents: components, paths, operations and tags, as in Kubernetes. */
import type { ResourceDefinition } from '../../../api/resource.js';

type GroupVersion = Pick<ResourceDefinition, 'group' | 'version'>;

/** `api/v1`, or `apis/<group>/<version>`: the key of a document in the v3 index. */
export function groupVersionPath({ group, version }: GroupVersion): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/**
 * `io.k8s.api.core.v1.ConfigMap` for kinds of Kubernetes itself; for others the group's labels in reverse, as for
 * custom resources: `example.svc.management.v1.SharedSecret`.
 */
export function componentName(
  definition: Pick<ResourceDefinition, 'group' | 'version' | 'kind' | 'builtIn'>,
): string {
  const { group, version, kind, builtIn } = definition;
  const labels = group.split('.');
  const prefix = builtIn ? `io.k8s.api.${labels[0] === '' ? 'core' : labels[0]}` : labels.reverse().join('.');
  return `${prefix}.${version}.${kind}`;
}

/** `ManagementSvcExampleV1`, `CoreV1`, `RbacAuthorizationV1`: the version in operation ids. */
export function groupVersionWord({ group, version }: GroupVersion): string {
  return groupWords(group).concat(version).map(capital).join('');
}

/** `managementSvcExample_v1`, `core_v1`: the tag of a version's operations. */
export function tagOf({ group, version }: GroupVersion): string {
  const [first = '', ...rest] = groupWords(group);
  return `${first}${rest.map(capital).join('')}_${version}`;
}

/** First letter in upper case. */
export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function groupWords(group: string): string[] {
  return group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split(/[.-]/);
}
