/**
 * Whether the API server with the roles lets every user reach our kinds, so that no right depends on roles
 * there.
 */
import { PROXY_GRANT } from '../../management/access/managednames.js';
import { isProxyGrant } from '../../management/access/proxygrant.js';
import type { CachedObject, ControllerContext, ResourceClient } from '../interface.js';
import { resourceOf } from '../interface.js';
import { ClusterRole } from '../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import { ClusterRoleBinding } from '../../../api/rbac.authorization.k8s.io/v1/clusterrolebinding.js';

/**
 * The time until each of several API servers in front knows of the grant; until then rights may depend on
 * roles there.
 */
export const GRANT_SETTLES_MS = 10_000;

/** Timers and the wall clock differ. */
const MARGIN_MS = 100;

export interface HostGrant {
  isThere(): boolean;
  /**
   * Whether the grant has existed for long enough: roles may be removed without which all users have the same
   * rights.
   */
  isSettled(): boolean;
}

/**
 * `plurals`: of the kinds whose rights are read from objects. `changed`: called when one of the two may have changed.
 */
export function followHostGrant(
  { client, follow, now }: ControllerContext,
  plurals: readonly string[],
  changed: (afterMs: number) => void,
): HostGrant {
  const roles = resourceOf(client, ClusterRole);
  const bindings = resourceOf(client, ClusterRoleBinding);
  const found = (kind: ResourceClient) => kind.cached('', PROXY_GRANT)?.object();
  const isThere = (): boolean => isProxyGrant(found(roles), found(bindings), plurals);
  let since: number | undefined;
  const check = (): void => {
    if (isThere() === (since !== undefined)) return;
    since = since === undefined ? now() : undefined;
    changed(since === undefined ? 0 : GRANT_SETTLES_MS + MARGIN_MS);
  };
  const checkNamed = ({ name }: CachedObject): void => {
    if (name === PROXY_GRANT) check();
  };
  for (const kind of [roles, bindings])
    follow(kind, { replaced: check, changed: checkNamed, deleted: checkNamed });
  return {
    isThere,
    isSettled: () => since !== undefined && now() - since >= GRANT_SETTLES_MS && isThere(),
  };
}
