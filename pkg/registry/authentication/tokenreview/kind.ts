import { TokenReview } from '../../../../api/authentication.k8s.io/v1/tokenreview.js';
import { badRequest } from '../../../apimachinery/errors.js';
import type { VirtualResource } from '../../virtualresource.js';
import { userInfo } from '../userinfo.js';

/** Authenticates a token. As in Kubernetes, the response repeats the token. */
export const kind: VirtualResource<typeof TokenReview> = {
  definition: TokenReview,
  async answer(review, { services }) {
    const { token = '', audiences = [] } = review.spec;
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const found = await services.authenticate(token, audiences);
    review.status =
      found.user === undefined
        ? { user: {}, error: found.error }
        : { authenticated: true, user: userInfo(found.user), audiences: [...found.audiences] };
    return review;
  },
};
