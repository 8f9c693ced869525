/** A request to a cluster as scopes evaluate it, and as the API server there parses it. */
import type { User } from '../authentication/interface.js';
import { SCOPE_EXTRA } from '../management/directtokens/authentication/authenticator.js';
import { scopeAllows } from '../management/accesskeys/scope/allows.js';
import type { Scope, ScopeSettings, Target } from '../management/accesskeys/scope/interface.js';
import { requestInfo, type RequestInfo } from '../server/requestinfo.js';
import type { Destination } from './interface.js';
import { parseStored } from '../apimachinery/encoding/parsestored.js';
import { teamsIn } from '../management/sharing/rights.js';

/** The methods that are forwarded. */
export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/**
 * Subresources whose requests last as long as the client likes (`k8s.io/apiserver`,
 * `BasicLongRunningRequestCheck`).
 */
const LASTING: readonly string[] = ['attach', 'exec', 'proxy', 'log', 'portforward'];

/** As the API server of a cluster parses it, for which HEAD of objects is GET. */
export function infoOf(method: string, path: string, query: string): RequestInfo {
  const url = query === '' ? path : `${path}?${query}`;
  const info = requestInfo(method, url);
  return method === 'HEAD' && info.kind === 'resource' ? requestInfo('GET', url) : info;
}

/** Whether the request lasts as long as its client likes. */
export const isLasting = (info: RequestInfo): boolean =>
  info.kind === 'resource' && (info.verb === 'watch' || LASTING.includes(info.subresource.split('/', 1)[0]!));

/** `cluster`: the name of the agent's Cluster. */
export function targetOf(destination: Destination, cluster: string): Target {
  switch (destination.kind) {
    case 'cluster':
      return { target: 'Cluster', cluster };
    case 'space':
      return { target: 'ProjectSpace', cluster, project: destination.project, space: destination.name };
    case 'virtualcluster':
      return {
        target: 'ProjectVirtualCluster',
        cluster,
        project: destination.project,
        virtualCluster: destination.name,
      };
  }
}

/** Whether the scope of the user's token, if any, allows the request, by the server's own function. */
export function isInScope(user: User, to: Target, info: RequestInfo, settings: ScopeSettings): boolean {
  const scope = scopeOf(user);
  if (scope === undefined) return true;
  const attributes = info.kind === 'path' ? info : { ...info, name: info.pinnedName };
  const caller = { name: user.name, teams: teamsIn(user.groups) };
  return scopeAllows(scope, { to, attributes, caller }, settings);
}

function scopeOf({ extra }: User): Scope | undefined {
  const text = extra[SCOPE_EXTRA]?.[0];
  return text === undefined ? undefined : parseStored<Scope>(text);
}
