import { SelfSubjectAccessReview } from '../../../../api/authorization.k8s.io/v1/selfsubjectaccessreview.js';
import type { VirtualResource } from '../../virtualresource.js';
import { decide, validateAccess, validateMetadata } from '../accessreview.js';

/** Checks access of the caller. */
export const kind: VirtualResource<typeof SelfSubjectAccessReview> = {
  definition: SelfSubjectAccessReview,
  answer(review, { user, services }) {
    const errors = [
      ...validateAccess(review.spec),
      ...validateMetadata(review.metadata, [], 'must be empty'),
    ];
    return decide(review, user, errors, services);
  },
};
