import { Link, linkOptions } from '@tanstack/react-router';
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
  ownedaccesskeys: '/accesskeys/$name',
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
  group === 'management.svc.example' && (isIn(CLUSTER_WIDE, resource) || isIn(NAMESPACED, resource));

/** Where the page of an object is, or its YAML if it has no page. */
export function routeOf({ resource, namespace = '', name }: Pick<Props, 'resource' | 'namespace' | 'name'>) {
  if (isIn(CLUSTER_WIDE, resource)) return linkOptions({ to: CLUSTER_WIDE[resource], params: { name } });
  if (isIn(NAMESPACED, resource))
    return linkOptions({ to: NAMESPACED[resource], params: { namespace, name } });
  return linkOptions({ to: '/yaml', search: { path: pathOf(resource, namespace, name) } });
}

/** The name of an object, as a link to its page, or to its YAML if it has no page. */
export const ObjectLink = ({ className, label, children, ...place }: Props) => (
  <Link {...routeOf(place)} preload={false} className={className} aria-label={label}>
    {children ?? place.name}
  </Link>
);

/** Links to cluster-scoped objects. */
export const ObjectLinks = ({
  resource,
  names,
}: {
  readonly resource: string;
  readonly names: readonly string[];
}) => names.map((name) => <ObjectLink key={name} resource={resource} name={name} className={'tag'} />);
