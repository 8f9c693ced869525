/** The life of a request to the agent. */
import { failure, methodNotAllowed, quote, unknownResource } from '../apimachinery/errors.js';
import type { User } from '../authentication/interface.js';
import type { ScopeSettings } from '../management/accesskeys/scope/interface.js';
import type { Exchange, Handler } from '../server/httpexchange.js';
import { forward } from './forward.js';
import { identityHeaders } from './impersonation.js';
import type { InFlight } from './inflight.js';
import type { Admitted, Destination, AuthenticationOptions, Place, Places, Upstream } from './interface.js';
import type { OpenRequests } from './openrequests.js';
import { refuse, unavailable } from './refuse.js';
import { readAgentPath } from './requestpath.js';
import { METHODS, infoOf, isInScope, isLasting, targetOf } from './scopedrequest.js';
import { isWithinSpace } from './spacelimits.js';
import { forwardUpgrade } from './upgrade.js';

export interface AgentDependencies extends AuthenticationOptions {
  readonly places: Places;
  /** The name of the agent's Cluster. */
  readonly cluster: string;
  readonly scopeSettings: ScopeSettings;
  readonly userPrefix: string;
  /** The API server of the cluster. */
  readonly upstream: Upstream;
  /** The API server of a virtual cluster. */
  readonly virtualCluster: (place: Place) => Upstream;
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
      const admitted = admit(dependencies, user, method, url, seen);
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

/** Throws StatusError: 400, 403, 404, 405. */
function admit(
  dependencies: AgentDependencies,
  user: User,
  method: string,
  url: string,
  seen: { destination: Observed['destination'] },
): Admitted {
  const { cluster, scopeSettings, places, userPrefix } = dependencies;
  if (!METHODS.includes(method)) throw methodNotAllowed();
  const { destination, prefix, path, query } = readAgentPath(url);
  seen.destination = destination.kind;
  const to = targetOf(destination, cluster);
  const info = infoOf(method, path, query);
  if (!isInScope(user, to, info, scopeSettings))
    throw failure('Forbidden', `User ${quote(user.name)} cannot do this: denied by token scope`, {});
  const place = destination.kind === 'cluster' ? undefined : places.find(destination);
  if (destination.kind !== 'cluster' && place === undefined) throw unknownResource();
  if (destination.kind === 'space' && !isWithinSpace(info, place?.namespace ?? ''))
    throw failure(
      'Forbidden',
      `the space ${quote(destination.name)} reaches the namespace ${quote(place?.namespace ?? '')} alone`,
      {},
    );
  const identity = identityHeaders(user, userPrefix);
  const upstream =
    destination.kind === 'virtualcluster' && place !== undefined
      ? dependencies.virtualCluster(place)
      : dependencies.upstream;
  const still = (): boolean => destination.kind === 'cluster' || isSame(places.find(destination), place);
  return { to, upstream, path, query, prefix, lasting: isLasting(info), still, identity };
}

const isSame = (now: Place | undefined, before: Place | undefined): boolean =>
  now?.namespace === before?.namespace && now?.virtualCluster === before?.virtualCluster;

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
