import { Type } from '../../type.js';
import { component } from '../../meta/v1/schema.js';

const subjectAccessReviewStatusSchema = Type.Object(
  {
    allowed: Type.Boolean({
      description: 'allowed is required. True if the action would be allowed, false otherwise.',
      default: false,
    }),
    denied: Type.Optional(
      Type.Boolean({
        description:
          'denied is optional. True if the action would be denied, otherwise false. If both allowed is false and denied is false, then the authorizer has no opinion on whether to authorize the action. Denied may not be true if Allowed is true.',
      }),
    ),
    evaluationError: Type.Optional(
      Type.String({
        description:
          'evaluationError is an indication that some error occurred during the authorization check. It is entirely possible to get an error and be able to continue determine authorization status in spite of it. For instance, RBAC can be missing a role, but enough roles are still present and bound to reason about the request.',
      }),
    ),
    reason: Type.Optional(
      Type.String({ description: 'reason is optional. It indicates why a request was allowed or denied.' }),
    ),
  },
  {
    description: 'SubjectAccessReviewStatus',
    'x-protobuf': { allowed: 1, reason: 2, evaluationError: 3, denied: 4 },
    'x-component': 'io.k8s.api.authorization.v1.SubjectAccessReviewStatus',
  },
);

/** The member `status` of every access review. */
export const reviewStatus = Type.Optional(
  component(subjectAccessReviewStatusSchema, {
    description: 'status is filled in by the server and indicates whether the request is allowed or not',
    default: {},
  }),
);
