import { SubjectAccessReview } from '../../../../api/authorization.k8s.io/v1/subjectaccessreview.js';
import type { VirtualResource } from '../../virtualresource.js';
import { decide, subjectOf, validateAccess, validateMetadata, validateSubject } from '../accessreview.js';

/** Checks access of a user or a group. */
export const kind: VirtualResource<typeof SubjectAccessReview> = {
  definition: SubjectAccessReview,
  answer(review, { services }) {
    const spec = review.spec;
    const errors = [
      ...validateAccess(spec),
      ...validateSubject(spec),
      ...validateMetadata(review.metadata, [], 'must be empty'),
    ];
    return decide(review, subjectOf(spec), errors, services);
  },
};
