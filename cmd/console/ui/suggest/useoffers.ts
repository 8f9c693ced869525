/** The suggestions for fields with a name, from the objects that the user may list. Other names can be typed, too. */
import { useMemo } from 'react';
import { tableRows, type Row } from '../../client/forms.js';
import { pathIn, pathOf } from '../../client/paths.js';
import { TEAMS, USERS } from '../../client/people.js';
import { PROJECTS } from '../../client/projects.js';
import { SECRETS } from '../../client/secrets.js';
import { projectOf, useNamespacePrefix } from '../../client/useprefix.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import type { Suggestion } from './suggestions.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
/** The prefix of ClusterRoles that the server creates for objects. They are not suggested. */
const OF_OBJECTS = /^management:[a-z]+:/;

const nameOf = ({ metadata: { name = '' } }: Row): string => name;

/** `idOf`: the text that is inserted for a row; empty: the row is not suggested. */
function useRows(path: string | undefined, idOf: (row: Row) => string): readonly Suggestion[] {
  const { items } = useLive<Row>(path, 'table', tableRows);
  return useMemo(() => {
    const named = items.map((row) => ({ id: idOf(row), text: row.cells['Display Name'] ?? '' }));
    return named.filter(({ id }) => id !== '').sort((one, other) => one.id.localeCompare(other.id));
  }, [items, idOf]);
}

/** Users, and `*` for everyone; or teams. */
export function usePeople(kind: 'User' | 'Team'): readonly Suggestion[] {
  const { membership: texts } = useTexts();
  const named = useRows(pathOf(kind === 'User' ? USERS : TEAMS), nameOf);
  return useMemo(
    () => (kind === 'User' ? [...named, { id: '*', text: texts.everyone }] : named),
    [named, kind, texts],
  );
}

const roleOf = (row: Row): string => (OF_OBJECTS.test(nameOf(row)) ? '' : nameOf(row));

export const useClusterRoles = (): readonly Suggestion[] => useRows(pathIn(RBAC, 'clusterroles'), roleOf);

export const useProjectNames = (): readonly Suggestion[] => useRows(pathOf(PROJECTS), nameOf);

const pairOf = ({ metadata: { namespace = '', name = '' } }: Row): string => `${namespace}/${name}`;

/** Users alone. */
export const useUserNames = (): readonly Suggestion[] => useRows(pathOf(USERS), nameOf);

/** The names of all objects of a resource that has a list in the console; none of another. Each name once. */
export function useObjectNames(resource: string): readonly Suggestion[] {
  const { home } = useTexts();
  const rows = useRows(Object.hasOwn(home.kinds, resource) ? pathOf(resource) : undefined, nameOf);
  return useMemo(() => rows.filter(({ id }, at) => rows[at - 1]?.id !== id), [rows]);
}

/** The resources that have lists in the console, by the words for them. */
export function useKinds(): readonly Suggestion[] {
  const { home } = useTexts();
  return useMemo(() => Object.entries(home.kinds).map(([id, text]) => ({ id, text: text(2) })), [home]);
}

/** As `namespace/name`. */
export const useSecretNames = (): readonly Suggestion[] => useRows(pathOf(SECRETS), pairOf);

/** Spaces or virtual clusters, as `project/name`. */
export function useInstanceNames(resource: string): readonly Suggestion[] {
  const prefix = useNamespacePrefix();
  const rows = useRows(pathOf(resource), pairOf);
  return useMemo(
    () =>
      rows.flatMap(({ id, text }) => {
        const at = id.indexOf('/');
        const project = projectOf(id.slice(0, at), prefix);
        return project === '' ? [] : [{ id: project + id.slice(at), text }];
      }),
    [rows, prefix],
  );
}
