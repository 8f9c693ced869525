import { LocalSubjectAccessReview } from '../../../../api/authorization.k8s.io/v1/localsubjectaccessreview.js';
import type { KubeObject } from '../../../../api/resource.js';
import { badRequest, fieldInvalid, type FieldError } from '../../../apimachinery/errors.js';
import type { VirtualResource } from '../../virtualresource.js';
import {
  decide,
  printed,
  subjectOf,
  validateAccess,
  validateMetadata,
  validateSubject,
  type SubjectSpec,
} from '../accessreview.js';

/** Checks access of a user in one namespace. The right to create it does not extend to other namespaces. */
export const kind: VirtualResource<typeof LocalSubjectAccessReview> = {
  definition: LocalSubjectAccessReview,
  async answer(review, { namespace, services }) {
    const spec = review.spec;
    const errors = validate(review, spec);
    if (errors.length === 0 && review.metadata.namespace !== namespace) {
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
    }
    return decide(review, subjectOf(spec), errors, services);
  },
};

function validate({ metadata }: KubeObject, spec: SubjectSpec): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const errors = [
    ...validateAccess(spec),
    ...validateSubject(spec),
    ...validateMetadata(metadata, ['namespace'], 'must be empty except for namespace'),
  ];
  const { namespace: asked = '' } = resourceAttributes ?? {};
  if (resourceAttributes !== undefined && asked !== (metadata.namespace ?? '')) {
    errors.push(fieldInvalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  }
  if (nonResourceAttributes !== undefined) {
    const text = 'disallowed on this kind of request';
    errors.push(fieldInvalid('spec.nonResourceAttributes', printed(nonResourceAttributes), text));
  }
  return errors;
}
