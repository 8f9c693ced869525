/** The stages of a request that tell whether its caller may make it, asked again: as the first time, but for the counts. */
import { expired } from '../../apimachinery/errors.js';
import type { StatusError } from '../../apimachinery/errors.js';
import { ANONYMOUS } from '../../authentication/interface.js';
import type { Decided } from '../filters/access.js';
import { decide, denialOf, unauthorized } from '../filters/access.js';
import type { HandlerDependencies } from '../handler.js';
import { asksToImpersonate, impersonate } from '../filters/impersonation.js';
import type { AskAgain } from './openrequest.js';

const LESS = 'The resourceVersion is too old: what you may see has changed since.';

type Stages = Pick<
  HandlerDependencies,
  'authenticator' | 'anonymous' | 'authorizer' | 'visibility' | 'stores'
>;

export function askingAgain(stages: Stages): AskAgain {
  const { authenticator, anonymous, authorizer } = stages;
  return {
    authenticate: (credentials) => authenticator.authenticate(credentials),
    anonymous: (path) => (anonymous(path) ? ANONYMOUS : undefined),
    impersonate: (user, exchange) =>
      asksToImpersonate(exchange.request.headers) ? impersonate(authorizer, user, exchange) : user,
    refusal(caller, { info, view: before, passedOn }) {
      if (passedOn === true) return undefined;
      const refusalOf = ({ decision, view }: Decided): StatusError | undefined => {
        if (!decision.allowed) return denialOf(caller, info, decision.reason);
        // Who was shown all of it for good is shown what they may see from now on.
        return 'all' in before && view !== undefined && 'filter' in view ? expired(LESS) : undefined;
      };
      const pending = decide(stages, caller, info);
      return pending instanceof Promise ? pending.then(refusalOf) : refusalOf(pending);
    },
    unauthorized,
  };
}
