/** Forwards requests to connected clusters, after their token was verified for that cluster. */
import type { ClientRequest } from 'node:http';
import { unknownResource } from '../apimachinery/errors.js';
import type { User } from '../authentication/interface.js';
import { forward } from '../agent/forward.js';
import type { InFlight } from '../agent/inflight.js';
import type { Admitted, Upstream } from '../agent/interface.js';
import { forwardUpgrade } from '../agent/upgrade.js';
import type { ClusterRequest, Exchange } from '../server/httpexchange.js';
import { nodeObjects } from '../server/routes/http2objects.js';
import type { WatchRegistry } from '../server/watch/watchregistry.js';
import { wayTo, type Way, type Ways } from './ways.js';

export interface Passing extends Ways {
  readonly inFlight: InFlight;
  readonly watches: Pick<WatchRegistry, 'add' | 'remove'>;
}

type Headers = Record<string, string | string[]>;

/** Headers that a cluster must not set, as browsers would apply them to this server's own pages. */
const NOT_A_CLUSTERS = [
  'set-cookie',
  'set-cookie2',
  'clear-site-data',
  'strict-transport-security',
  'public-key-pins',
  'alt-svc',
  'service-worker-allowed',
  'sourcemap',
  'refresh',
  'nel',
  'report-to',
  'reporting-endpoints',
  'audit-id',
  'www-authenticate',
];

/** `user`: of a token for the cluster. Rejects with StatusError: 400, 403, 404, 405, 429, 503, 504. */
export async function passOn(
  { inFlight, watches, ...ways }: Passing,
  exchange: Exchange,
  user: User,
): Promise<void> {
  const { end, upgrade, cluster: asked } = exchange;
  const cluster = asked?.name() ?? '';
  if (asked === undefined || cluster === '') throw unknownResource();
  const way = wayTo(ways, { exchange, asked, cluster, user });
  const { lasting } = way.admitted;
  const leave = inFlight.enter(user.name, lasting);
  const opened: { request?: ClientRequest } = {};
  // An aborted request is counted until its stream has ended.
  end.after(() => (opened.request?.closed === false ? void opened.request.once('close', leave) : leave()));
  if (lasting) endWith(exchange, watches, way);
  const admitted: Admitted = {
    ...way.admitted,
    upstream: withoutCookies(way.admitted.upstream, (made) => (opened.request = made)),
    answered: (headers) => ownHeaders(headers, asked.prefix),
  };
  if (upgrade === undefined) await forward({ ...exchange, ...nodeObjects(exchange) }, admitted);
  else await forwardUpgrade(exchange, admitted);
}

/** A request ends with its destination, and a server that shuts down does not wait for it. */
function endWith({ end }: Exchange, watches: Passing['watches'], { admitted, holds }: Way): void {
  const clocked = {
    tick(): void {
      if (!admitted.still()) return end.cut();
      void holds?.().then((does) => (does ? undefined : end.cut()));
    },
    end: () => end.cut(),
  };
  watches.add(clocked);
  end.after(() => watches.remove(clocked));
}

/** Cookies belong to the console. */
function withoutCookies(upstream: Upstream, opened: (request: ClientRequest) => void): Upstream {
  return {
    ...upstream,
    async open(sent) {
      const request = await upstream.open({ ...sent, headers: withoutNames(sent.headers, /^cookie2?$/i) });
      opened(request);
      return request;
    },
  };
}

/** Names and values alternate. */
function withoutNames(headers: readonly string[], unwanted: RegExp): string[] {
  const names = headers.filter((_text, at) => at % 2 === 0);
  return names.flatMap((name, at) => (unwanted.test(name) ? [] : [name, headers[2 * at + 1] ?? '']));
}

/** Keeps redirects below the client's path, and prevents pages of a cluster from acting as this server's. */
function ownHeaders(headers: Headers, { agent, client }: ClusterRequest['prefix']): Headers {
  const own: Headers = { ...headers };
  for (const name of NOT_A_CLUSTERS) delete own[name];
  const { location } = own;
  // Elsewhere a cluster leads nobody.
  delete own.location;
  if (typeof location === 'string' && location.startsWith(`${agent}/`))
    own.location = client + location.slice(agent.length);
  own['content-security-policy'] = 'sandbox';
  own['x-content-type-options'] = 'nosniff';
  return own;
}
