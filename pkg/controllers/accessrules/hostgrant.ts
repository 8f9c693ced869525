/** Whether the API server that has the roles lets everybody ask for our kinds, so that no right rests on roles there. */
import { PROXY_GRANT } from '../../management/access/managednames.js';
import { isProxyGrant } from '../../management/access/proxygrant.js';
import type { CachedObject, ControllerContext, ResourceClient } from '../interface.js';
import { resourceOf } from '../interface.js';
import { ClusterRole } from '../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import { ClusterRoleBinding } from '../../../api/rbac.authorization.k8s.io/v1/clusterrolebinding.js';

/** Each of several API servers in front knows of the grant after so long: until then rights may rest on roles there. */
export const GRANT_SETTLES_MS = 10_000;

/** Clocks of timers and of the time differ. */
const MARGIN_MS = 100;

export interface HostGrant {
  isThere(): boolean;
  /** Whether it has been there for a while: roles without which everybody has the same rights may go. */
  isSettled(): boolean;
}

/** `changed`: called when one of the two may have become otherwise. */
export function followHostGrant(
  { client, follow, now }: ControllerContext,
  changed: (afterMs: number) => void,
): HostGrant {
  const roles = resourceOf(client, ClusterRole);
  const bindings = resourceOf(client, ClusterRoleBinding);
  const found = (kind: ResourceClient) => kind.cached('', PROXY_GRANT)?.object();
  const isThere = (): boolean => isProxyGrant(found(roles), found(bindings));
  let since: number | undefined;
  const look = (): void => {
    if (isThere() === (since !== undefined)) return;
    since = since === undefined ? now() : undefined;
    changed(since === undefined ? 0 : GRANT_SETTLES_MS + MARGIN_MS);
  };
  const lookAt = ({ name }: CachedObject): void => {
    if (name === PROXY_GRANT) look();
  };
  for (const kind of [roles, bindings]) follow(kind, { replaced: look, changed: lookAt, deleted: lookAt });
  return {
    isThere,
    isSettled: () => since !== undefined && now() - since >= GRANT_SETTLES_MS && isThere(),
  };
}
