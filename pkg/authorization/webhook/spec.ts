import type { User } from '../../authentication/interface.js';
import type { Attributes } from '../interface.js';

/** `spec` of a SubjectAccessReview (`authorization.k8s.io/v1`), without empty members. */
export function reviewSpec({ name: user, uid, groups, extra }: User, attributes: Attributes): object {
  const who = {
    ...(user !== '' && { user }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
  if (attributes.kind === 'path') {
    const { path, verb } = attributes;
    return { ...who, nonResourceAttributes: { path, verb } };
  }
  const { verb, group, version, resource, subresource, namespace, name } = attributes;
  const { fieldSelector, labelSelector } = attributes;
  const resourceAttributes = {
    ...(namespace !== '' && { namespace }),
    verb,
    ...(group !== '' && { group }),
    ...(version !== '' && { version }),
    resource,
    ...(subresource !== '' && { subresource }),
    ...(name !== '' && { name }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(labelSelector !== undefined && { labelSelector }),
  };
  return { ...who, resourceAttributes };
}
