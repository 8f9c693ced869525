import type { User } from '../authentication/interface.js';
import { failure, forbidden, quote, type StatusError } from '../apimachinery/errors.js';
import type { Attributes } from './interface.js';

/**
 * The 403 of an authorizer's denial; `reason` may be empty
 * (`k8s.io/apiserver/pkg/endpoints/handlers/responsewriters.Forbidden`).
 */
export function denied(user: User, attributes: Attributes, reason: string): StatusError {
  const sentence = attributes.kind === 'path' ? pathSentence(user, attributes) : resourceSentence(user, attributes);
  const text = reason === '' ? sentence : `${sentence}: ${reason}`;
  const error =
    attributes.kind === 'path'
      ? failure('Forbidden', `forbidden: ${text}`, {})
      : forbidden({ group: attributes.group, plural: attributes.resource }, attributes.name, text);
  error.headers['X-Content-Type-Options'] = 'nosniff';
  return error;
}

function pathSentence(user: User, attributes: Extract<Attributes, { kind: 'path' }>): string {
  return `User ${quote(user.name)} cannot ${attributes.verb} path ${quote(attributes.path)}`;
}

function resourceSentence(user: User, attributes: Extract<Attributes, { kind: 'resource' }>): string {
  const { verb, subresource, group, namespace } = attributes;
  const resource = subresource === '' ? attributes.resource : `${attributes.resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`;
  return `User ${quote(user.name)} cannot ${verb} resource ${quote(resource)} in API group ${quote(group)} ${scope}`;
}
