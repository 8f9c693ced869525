/** Errors for clients, with the messages of `k8s.io/apimachinery/pkg/api/errors`. */

import { MAX_FINDINGS, aggregate, clip, textOf, type FieldError } from './fielderror.js';
import { quoteGo } from './quote.js';
import { failure, StatusError, type StatusCause, type StatusDetails } from './status.js';

export * from './fielderror.js';
export * from './status.js';

/** The resource that a message names: `sharedsecrets.management.svc.example`. */
export interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

/** The kind that a message names: `SharedSecret.management.svc.example`. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
}

/** `secrets`, or `roles.rbac.authorization.k8s.io`. */
export function groupResource(resource: ResourceName): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

function groupKind(kind: KindName): string {
  return kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
}

/** Go's `%q`. */
export const quote = quoteGo;

/** `details` of a Status about an object; empty members are omitted. */
export function resourceDetails(resource: ResourceName, name: string): StatusDetails {
  return {
    ...(name !== '' && { name }),
    ...(resource.group !== '' && { group: resource.group }),
    kind: resource.plural,
  };
}

export const badRequest = (message: string): StatusError => failure('BadRequest', message);

export const notFound = (resource: ResourceName, name: string): StatusError =>
  failure('NotFound', `${groupResource(resource)} ${quote(name)} not found`, resourceDetails(resource, name));

/** `deleting`: the existing object has a deletionTimestamp. */
export function alreadyExists(resource: ResourceName, name: string, deleting = false): StatusError {
  const prefix = deleting ? 'object is being deleted: ' : '';
  const message = `${prefix}${groupResource(resource)} ${quote(name)} already exists`;
  return failure('AlreadyExists', message, resourceDetails(resource, name));
}

export function generateNameExhausted(resource: ResourceName, name: string): StatusError {
  const message = `${groupResource(resource)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`;
  return failure('AlreadyExists', message, { ...resourceDetails(resource, name), retryAfterSeconds: 1 });
}

export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof StatusError && error.status.reason === 'AlreadyExists';

export function conflict(resource: ResourceName, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${groupResource(resource)} ${quote(name)}: ${why}`;
  return failure('Conflict', message, resourceDetails(resource, name));
}

export const staleResourceVersion = (resource: ResourceName, name: string): StatusError =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

/** 409 for a failed DELETE precondition: it names the kind, not the resource. */
export function preconditionFailed(kind: KindName, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${groupKind(kind)} ${quote(name)}: ${why}`;
  return failure('Conflict', message, {
    name,
    ...(kind.group !== '' && { group: kind.group }),
    kind: kind.kind,
  });
}

/**
 * 403 of an admission plugin: `X is forbidden: <why>`. For a denied request see `forbiddenRequest` in
 * `pkg/server/filters/authorization.ts`. `name` may be empty.
 */
export function forbidden(
  resource: ResourceName,
  name: string,
  why: string,
  causes?: StatusCause[],
): StatusError {
  const subject = name === '' ? groupResource(resource) : `${groupResource(resource)} ${quote(name)}`;
  const details = resourceDetails(resource, name);
  if (causes !== undefined) details.causes = causes;
  return failure('Forbidden', `${subject} is forbidden: ${why}`, details);
}

/** The resource attributes of a request (`k8s.io/apiserver/pkg/authorization/authorizer.Attributes`). */
export interface AskedOfResource {
  readonly verb: string;
  readonly group: string;
  /** Plural name. */
  readonly resource: string;
  /** `''` for the object itself. */
  readonly subresource: string;
  /** `''`: at the cluster scope. */
  readonly namespace: string;
}

/**
 * `User "jane" cannot get resource "pods" in API group "" …`, as kube-apiserver
 * (`k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go`).
 */
export function userCannot(user: string, asked: AskedOfResource): string {
  const { verb, group, resource, subresource, namespace } = asked;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(namespace)}`;
  return `User ${quote(user)} cannot ${verb} resource ${quote(what)} in API group ${quote(group)} ${where}`;
}

export const methodNotAllowed = (): StatusError =>
  failure('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const unknownResource = (): StatusError =>
  failure('NotFound', 'the server could not find the requested resource', {});

export const tooLarge = (limit: number): StatusError =>
  failure('RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);

export const tooManyValues = (limit: number): StatusError =>
  failure('RequestEntityTooLarge', `Request entity too large: limit is ${limit} values`);

export const tooManyManagers = (limit: number): StatusError =>
  failure(
    'RequestEntityTooLarge',
    `Request entity too large: limit is ${limit} entries of metadata.managedFields`,
  );

export const tooManyFields = (limit: number): StatusError =>
  failure(
    'RequestEntityTooLarge',
    `Request entity too large: limit is ${limit} fields in metadata.managedFields`,
  );

export const expired = (message: string): StatusError => failure('Expired', message);

/** 410 of a watch or a page whose reader may see more or less than before: clients list again. */
export const otherRights = (): StatusError =>
  expired('The resourceVersion is too old: what you may see has changed since.');

/** 504 for a read of a revision that the store does not have yet. */
export function futureRevision(
  wanted: number | string,
  current: number,
  retryAfterSeconds?: number,
): StatusError {
  return failure('Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** 500 ServerTimeout: the store is unreachable, and the client may retry. */
export function serverTimeout(resource: ResourceName, operation: string): StatusError {
  const message = `The ${operation} operation against ${groupResource(resource)} could not be completed at this time, please try again.`;
  return failure('ServerTimeout', message, {
    name: operation,
    ...(resource.group !== '' && { group: resource.group }),
    kind: resource.plural,
    retryAfterSeconds: 2,
  });
}

export function internalError(text: string): StatusError {
  return failure('InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });
}

/**
 * 422 for an object (`kind`: its Kind) or for options (`meta.k8s.io`, `ListOptions`, empty name). Lists each finding
 * once, and only the first; long texts are truncated, so that a request cannot cause a much larger response.
 */
export function invalid(kind: KindName, name: string, errors: readonly FieldError[]): StatusError {
  const found = [...new Map(errors.map((error) => [textOf(error), error])).values()];
  const listed: FieldError[] = found.slice(0, MAX_FINDINGS).map(bounded);
  if (found.length > MAX_FINDINGS) listed.push(MORE_FINDINGS);
  const shown = clip(name, LONGEST_NAME);
  return failure('Invalid', `${groupKind(kind)} ${quote(shown)} is invalid: ${aggregate(listed)}`, {
    ...(name !== '' && { name: shown }),
    ...(kind.group !== '' && { group: kind.group }),
    ...(kind.kind !== '' && { kind: kind.kind }),
    causes: listed.map(({ type, path, body }) => ({ reason: type, message: body, field: path })),
  });
}

const LONGEST_NAME = 1024;
const LONGEST_BODY = 8192;
const MORE_FINDINGS: FieldError = {
  type: 'FieldValueTooMany',
  path: '',
  body: `Too many: only the first ${MAX_FINDINGS} findings are listed, there are more`,
};

const bounded = ({ type, path, body }: FieldError): FieldError => ({
  type,
  path: clip(path, LONGEST_NAME),
  body: clip(body, LONGEST_BODY),
});
