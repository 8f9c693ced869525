import { useMemo } from 'react';
import { pathOf } from '../../client/paths.js';
import { PROJECTS, projectForm, type ProjectView } from '../../client/projects.js';
import { MAX_ASKED, useMayOn, type Deed } from '../../client/reviews.js';
import { useNamespacePrefix } from '../../client/useprefix.js';
import { useLive } from '../../live/uselive.js';

/**
 * The projects in which the user may do something, with those after the first {@link MAX_ASKED}, of which nothing is asked.
 * Undefined until it is known. `inProject`: the deed, without a name for all projects.
 */
export function useProjectsWhere(
  inProject: (project: string, namespace: string) => Deed,
): readonly ProjectView[] | undefined {
  const prefix = useNamespacePrefix();
  const { items, status } = useLive(pathOf(PROJECTS), 'project', projectForm);
  const there = useMemo(
    () => items.filter(({ metadata: { deletionTimestamp } }) => deletionTimestamp === undefined),
    [items],
  );
  const names = prefix === undefined ? [] : there.map(({ metadata: { name = '' } }) => name);
  const { all, each } = useMayOn(names, (name) => inProject(name, name && `${prefix ?? ''}${name}`));
  if (status === 'loading' || prefix === undefined || all === undefined || each.includes(undefined))
    return undefined;
  return all ? there : there.filter((_project, at) => at >= MAX_ASKED || each[at] === true);
}

/** The deed of making an object of a resource in the namespace of a project. */
export const creating =
  (resource: string) =>
  (_project: string, namespace: string): Deed => ({ verb: 'create', resource, namespace, name: '' });

/** The deed of changing a project, which making keys of it needs as well. */
export const updating = (name: string): Deed => ({ verb: 'update', resource: PROJECTS, namespace: '', name });
