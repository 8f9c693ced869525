/** The common parts of the three access reviews (`k8s.io/kubernetes/pkg/apis/authorization/validation`). */
import type { Static } from 'typebox';
import type { nonResourceAttributesSchema } from '../../../api/authorization.k8s.io/v1/nonresourceattributes.js';
import type { KubeObject, ObjectMeta } from '../../../api/resource.js';
import { fieldInvalid, invalid, type FieldError } from '../../apimachinery/errors.js';
import type { User } from '../../apimachinery/user.js';
import type { Attributes } from '../../apimachinery/attributes.js';
import type { RequestServices } from '../virtualresource.js';
import { validateSelectors, type ResourceAttributes } from './selectors.js';

type NonResourceAttributes = Static<typeof nonResourceAttributesSchema>;

/** The reviewed attributes. */
export interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

/** The user of a review that is not about the caller. */
export interface SubjectSpec extends AccessSpec, Partial<Pick<User, 'uid' | 'groups' | 'extra'>> {
  readonly user?: string;
}

/** Requires exactly one of resourceAttributes and nonResourceAttributes. */
export function validateAccess(spec: AccessSpec): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if ((resourceAttributes === undefined) !== (nonResourceAttributes === undefined)) return [];
  const given = nonResourceAttributes === undefined ? null : printed(nonResourceAttributes);
  const text = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [fieldInvalid('spec', given, text)];
}

export function validateSubject({ user = '', groups = [] }: SubjectSpec): FieldError[] {
  if (user !== '' || groups.length > 0) return [];
  return [fieldInvalid('spec.user', '', 'at least one of user or group must be specified')];
}

/** Formats the attributes like Kubernetes' internal types. */
export function printed({ path = '', verb = '' }: NonResourceAttributes): object {
  return { Path: path, Verb: verb };
}

/** Refuses metadata, which reviews do not have. */
export function validateMetadata(
  metadata: ObjectMeta,
  allowed: readonly string[],
  text: string,
): FieldError[] {
  const given = Object.keys(metadata).filter((name) => name !== 'managedFields' && !allowed.includes(name));
  return given.length === 0 ? [] : [fieldInvalid('metadata', metadata, text)];
}

interface Review extends KubeObject {
  readonly spec: AccessSpec;
}

/** Sets the status of a valid review. Throws StatusError 422. */
export async function decide(
  review: Review,
  user: User,
  errors: readonly FieldError[],
  services: RequestServices,
): Promise<KubeObject> {
  const { spec } = review;
  const all = [...errors, ...validateSelectors(spec.resourceAttributes)];
  if (all.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', all);
  const { allowed, reason } = await services.authorize(user, attributesOf(spec));
  review.status = { allowed, ...(reason !== '' && { reason }) };
  return review;
}

export function subjectOf({ user = '', uid = '', groups = [], extra = {} }: SubjectSpec): User {
  return { name: user, uid, groups, extra };
}

/** Without a version, the review is about all versions. */
function attributesOf({ resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {};
    return { kind: 'path', path, verb };
  }
  const { verb = '', group = '', version = '*', resource = '' } = resourceAttributes;
  const { subresource = '', namespace = '', name = '', fieldSelector, labelSelector } = resourceAttributes;
  return {
    kind: 'resource',
    verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(labelSelector !== undefined && { labelSelector }),
  };
}
