import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Place } from '../../client/edits/yamlobject.js';
import { pathOf } from '../../client/paths.js';

export interface Props {
  readonly resource: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace?: string;
  readonly name: string;
  readonly className?: string;
  /** Shown instead of the name; `label` is its accessible name. */
  readonly children?: ReactNode;
  readonly label?: string;
}

const CLUSTER_WIDE = {
  projects: '/projects/$name',
  clusters: '/clusters/$name',
  users: '/users/$name',
  teams: '/teams/$name',
  grouprules: '/grouprules/$name',
} as const;

const NAMESPACED = {
  sharedsecrets: '/secrets/$namespace/$name',
  projectsecrets: '/projectsecrets/$namespace/$name',
  spaceinstances: '/spaces/$namespace/$name',
  virtualclusterinstances: '/virtualclusters/$namespace/$name',
} as const;

const isIn = <Routes extends object>(routes: Routes, resource: string): resource is keyof Routes & string =>
  Object.hasOwn(routes, resource);

/** Whether an object has a page of its own, besides its YAML. */
export const hasPage = ({ group, resource }: Pick<Place, 'group' | 'resource'>): boolean =>
  group === 'management.svc.example' &&
  (isIn(CLUSTER_WIDE, resource) || isIn(NAMESPACED, resource) || resource === 'ownedaccesskeys');

/** The name of an object, as a link to its page, or to its YAML if it has no page. */
export function ObjectLink({ resource, namespace = '', name, className, children = name, label }: Props) {
  const shared = {
    ...({ preload: false, children } as const),
    ...(className !== undefined && { className }),
    ...(label !== undefined && { 'aria-label': label }),
  } as const;
  if (isIn(CLUSTER_WIDE, resource)) return <Link {...shared} to={CLUSTER_WIDE[resource]} params={{ name }} />;
  if (isIn(NAMESPACED, resource))
    return <Link {...shared} to={NAMESPACED[resource]} params={{ namespace, name }} />;
  if (resource === 'ownedaccesskeys') return <Link {...shared} to="/accesskeys" search={{ q: name }} />;
  return <Link {...shared} to="/yaml" search={{ path: pathOf(resource, namespace, name) }} />;
}

/** Links to cluster-scoped objects. */
export const ObjectLinks = ({
  resource,
  names,
}: {
  readonly resource: string;
  readonly names: readonly string[];
}) => names.map((name) => <ObjectLink key={name} resource={resource} name={name} className={'tag'} />);
