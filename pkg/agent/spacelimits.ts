/** The limits of the path of a space: its namespace, and discovery of the API. */
import type { RequestInfo, ResourceRequest } from '../server/requestinfo.js';

/** Discovery, OpenAPI and the version. */
const DOCUMENTS = /^\/((version|api(\/[^/]+)?|apis(\/[^/]+){0,2})\/?|openapi\/.*)?$/;
const READ: readonly string[] = ['get', 'head'];
/** By group: requests about the caller only. */
const ABOUT_SELF: Readonly<Record<string, readonly string[]>> = {
  'authorization.k8s.io': ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  'authentication.k8s.io': ['selfsubjectreviews'],
};

/** Whether a request stays within a space. The cluster authorizes it there. */
export function isWithinSpace(info: RequestInfo, namespace: string): boolean {
  if (info.kind === 'path') return READ.includes(info.verb) && DOCUMENTS.test(info.path);
  if (info.namespace === '') return asksAboutSelf(info);
  if (info.namespace !== namespace) return false;
  // The namespace itself is not in the namespace, and is deleted with the space.
  return info.resource !== 'namespaces' || (info.verb === 'get' && info.subresource === '');
}

const asksAboutSelf = ({ verb, group, resource, name, subresource }: ResourceRequest): boolean =>
  verb === 'create' && name === '' && subresource === '' && (ABOUT_SELF[group]?.includes(resource) ?? false);
