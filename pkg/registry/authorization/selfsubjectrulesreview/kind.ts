import { SelfSubjectRulesReview } from '../../../../api/authorization.k8s.io/v1/selfsubjectrulesreview.js';
import { badRequest } from '../../../apimachinery/errors.js';
import type { Rules } from '../../../apimachinery/attributes.js';
import type { VirtualResource } from '../../virtualresource.js';

/** Lists the caller's rules in a namespace. As in Kubernetes, the response does not repeat the spec. */
export const kind: VirtualResource<typeof SelfSubjectRulesReview> = {
  definition: SelfSubjectRulesReview,
  async answer(review, { user, services }) {
    const { namespace = '' } = review.spec;
    if (namespace === '') throw badRequest('no namespace on request');
    const rules = await services.rulesFor(user, namespace);
    review.metadata = {};
    review.spec = {};
    review.status = statusOf(rules);
    return review;
  },
};

function statusOf({ resourceRules, nonResourceRules, incomplete }: Rules): SelfSubjectRulesReview['status'] {
  return {
    resourceRules: resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs: [...verbs],
      ...(apiGroups.length > 0 && { apiGroups: [...apiGroups] }),
      ...(resources.length > 0 && { resources: [...resources] }),
      ...(resourceNames.length > 0 && { resourceNames: [...resourceNames] }),
    })),
    nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({
      verbs: [...verbs],
      nonResourceURLs: [...nonResourceURLs],
    })),
    incomplete,
  };
}
