import { SelfSubjectReview } from '../../../../api/authentication.k8s.io/v1/selfsubjectreview.js';
import { timestamp } from '../../object/metadata.js';
import type { VirtualResource } from '../../virtualresource.js';
import { userInfo } from '../userinfo.js';

/** Returns the caller's user. */
export const kind: VirtualResource<typeof SelfSubjectReview> = {
  definition: SelfSubjectReview,
  answer(review, { user }) {
    review.metadata = { creationTimestamp: timestamp() };
    review.status = { userInfo: userInfo(user) };
    return Promise.resolve(review);
  },
};
