/** Authentication, impersonation and authorization of a request, repeated without metrics and audit. */
import { otherRights, type StatusError } from '../../apimachinery/errors.js';
import { ANONYMOUS } from '../../authentication/interface.js';
import { unauthorized } from '../filters/authentication.js';
import { decide, forbiddenRequest, type Decided } from '../filters/authorization.js';
import type { HandlerDependencies } from '../dependencies.js';
import { impersonate } from '../filters/impersonation/impersonation.js';
import type { RequestStages } from './openrequest.js';
import { onceKnown } from '../../apimachinery/eventloop/onceknown.js';

type Stages = Pick<
  HandlerDependencies,
  'authenticator' | 'anonymous' | 'authorizer' | 'visibility' | 'stores'
>;

export function requestStages(stages: Stages): RequestStages {
  const { authenticator, anonymous, authorizer } = stages;
  return {
    authenticate: (credentials) => authenticator.authenticate(credentials),
    anonymous: (path) => (anonymous(path) ? ANONYMOUS : undefined),
    impersonate: (user, info, exchange) => impersonate(authorizer, user, { exchange, info }),
    refusal(caller, { info, view: before, proxied }) {
      if (proxied === true) return undefined;
      const refusalOf = ({ decision, view }: Decided): StatusError | undefined => {
        if (!decision.allowed) return forbiddenRequest(caller, info, decision.reason);
        // The caller could see all objects before, and now only some.
        return 'all' in before && view !== undefined && 'filter' in view ? otherRights() : undefined;
      };
      return onceKnown(decide(stages, caller, info), refusalOf);
    },
    unauthorized,
  };
}
