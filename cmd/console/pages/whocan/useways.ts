import { useMemo } from 'react';
import type { Place } from '../../client/edits/yamlobject.js';
import { pathIn, withQuery, pathOf } from '../../client/paths.js';
import { TEAMS, teamForm } from '../../client/people.js';
import { objectWays, rightsForm } from '../../client/whocan/objectways.js';
import { bindingForm, bindingWays, RBAC, roleForm, spaceOf } from '../../client/whocan/rolebindings.js';
import { askedOf, throughTeams, type Way } from '../../client/whocan/ways.js';
import type { LiveState } from '../../live/livelist.js';
import { useLive } from '../../live/uselive.js';

/** The sources of the result. */
type Source = 'object' | 'roleBindings' | 'clusterRoleBindings' | 'roles' | 'clusterRoles' | 'teams';

export interface Ways {
  readonly ways: readonly Way[];
  /** Sources that the user may not read, which may give rights as well. */
  readonly unseen: readonly Source[];
  /** The worst state of the lists: loading, or not reachable; otherwise the state of the object. */
  readonly state: LiveState<unknown>;
}

/** Watches everything that may give the right, as far as the user may read it. */
export function useWays({ path, ...place }: Place, verb: string): Ways {
  const asked = askedOf(place, verb);
  const { group, resource, namespace, name } = asked;
  const space = spaceOf(asked);
  const within = (plural: string): string | undefined =>
    space === '' ? undefined : pathIn(RBAC, plural, space);
  const collection = withQuery(path.slice(0, path.lastIndexOf('/')), {
    fieldSelector: `metadata.name=${name}`,
  });
  const object = useLive(collection, 'rights', rightsForm);
  const roleBindings = useLive(within('rolebindings'), 'bindings', bindingForm);
  const clusterRoleBindings = useLive(pathIn(RBAC, 'clusterrolebindings'), 'bindings', bindingForm);
  const roles = useLive(within('roles'), 'roles', roleForm);
  const clusterRoles = useLive(pathIn(RBAC, 'clusterroles'), 'roles', roleForm);
  const teams = useLive(pathOf(TEAMS), 'team', teamForm);
  const followed = {
    object,
    clusterRoleBindings,
    clusterRoles,
    teams,
    ...(space !== '' && { roleBindings, roles }),
  };
  const ways = useMemo(() => {
    const [view] = object.items;
    const bindings = [...roleBindings.items, ...clusterRoleBindings.items];
    const known = { bindings, roles: knownOf(roles), clusterRoles: knownOf(clusterRoles) };
    const direct = view === undefined ? [] : objectWays(view, asked);
    const members = teams.items.map(({ metadata, users, groups }) => ({
      name: metadata.name ?? '',
      users,
      groups,
    }));
    return throughTeams([...direct, ...bindingWays(known, asked)], members);
  }, [
    object,
    roleBindings,
    clusterRoleBindings,
    roles,
    clusterRoles,
    teams,
    group,
    resource,
    namespace,
    name,
    verb,
  ]);
  const states = Object.values(followed);
  return {
    ways,
    unseen: SOURCES.filter((source) => followed[source]?.status === 'refused'),
    state: states.find(({ status }) => status === 'stale') ??
      states.find(({ status }) => status === 'loading') ?? { ...object, status: 'live' },
  };
}

const SOURCES: readonly Source[] = [
  ...(['object', 'roleBindings', 'clusterRoleBindings', 'roles', 'clusterRoles', 'teams'] as const),
];

/** Undefined while the list is not read: then the rules of roles are not known either. */
const knownOf = <Item>({ status, items }: LiveState<Item>): readonly Item[] | undefined =>
  status === 'refused' || status === 'loading' ? undefined : items;
