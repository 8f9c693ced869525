/** The life of a request to the agent. */
import { failure } from '../apimachinery/errors.js';
import type { User } from '../authentication/interface.js';
import type { Exchange, Handler } from '../server/httpexchange.js';
import { admit, type Admission } from './admit.js';
import { forward } from './forward.js';
import type { InFlight } from './inflight.js';
import type { Admitted, Destination, AuthenticationOptions } from './interface.js';
import type { OpenRequests } from './openrequests.js';
import { refuse, unavailable } from './refuse.js';
import { readAgentPath } from './requestpath.js';
import { forwardUpgrade } from './upgrade.js';

export interface AgentDependencies extends AuthenticationOptions, Admission {
  readonly inFlight: InFlight;
  readonly open: OpenRequests;
  /** Called for each request when its response begins or it is refused. */
  readonly observe: (observed: Observed) => void;
  /** Called with unexpected errors. */
  readonly failed: (error: unknown) => void;
}

export interface Observed {
  readonly method: string;
  readonly destination: Destination['kind'] | 'none';
  /** 0: the client was gone before the response. */
  readonly code: number;
  readonly seconds: number;
}

export function agentHandler(dependencies: AgentDependencies): Handler {
  return async (exchange) => {
    const began = performance.now();
    const { method = '', url = '' } = exchange.request;
    const seen: { destination: Observed['destination'] } = { destination: 'none' };
    let code: number;
    try {
      const user = await authenticate(dependencies, exchange);
      const asked = readAgentPath(url);
      seen.destination = asked.destination.kind;
      const admitted = admit(dependencies, user, method, asked);
      hold(dependencies, exchange, user, admitted);
      const pass = exchange.upgrade === undefined ? forward : forwardUpgrade;
      code = await pass(exchange, admitted);
    } catch (error) {
      code = refuse(exchange, error);
      if (code === 500) dependencies.failed(error);
    }
    dependencies.observe({ method, ...seen, code, seconds: (performance.now() - began) / 1000 });
  };
}

/** Throws StatusError 401, and 503 while revocations are not known. */
async function authenticate(
  { authenticate: ask, freshness, maxAgeMs }: AgentDependencies,
  { request, proved }: Exchange,
): Promise<User> {
  if (freshness.age(performance.now()) > maxAgeMs)
    throw unavailable(
      'the agent has been disconnected from the management API for too long to know which tokens were revoked',
    );
  const { authorization } = request.headers;
  const pending = ask(authorization);
  const answer = pending instanceof Promise ? await pending : pending;
  if (answer.outcome !== 'user') {
    // Streams are cheap to open, so unauthenticated clients get one connection for each.
    request.stream?.session?.close();
    throw failure('Unauthorized', 'Unauthorized');
  }
  proved?.();
  return answer.user;
}

/** Counts the request while it is in flight, and ends a long-lived one when its token ends. */
function hold(
  { inFlight, open }: AgentDependencies,
  { request, end }: Exchange,
  user: User,
  { lasting, still }: Admitted,
): void {
  end.after(inFlight.enter(user.name, lasting));
  const { authorization } = request.headers;
  if (lasting) open.add({ authorization, groups: user.groups, still, end });
}
