import { Link } from '@tanstack/react-router';

export interface Props {
  readonly resource: string;
  /** Empty for what is in none. */
  readonly namespace?: string;
  readonly name: string;
  readonly className?: string;
}

const CLUSTER_WIDE = {
  projects: '/projects/$name',
  clusters: '/clusters/$name',
  users: '/users/$name',
  teams: '/teams/$name',
} as const;

const NAMESPACED = {
  sharedsecrets: '/secrets/$namespace/$name',
  spaceinstances: '/spaces/$namespace/$name',
  virtualclusterinstances: '/virtualclusters/$namespace/$name',
} as const;

const isIn = <Routes extends object>(routes: Routes, resource: string): resource is keyof Routes & string =>
  Object.hasOwn(routes, resource);

/** The name of an object, as a link to its page where it has one. */
export function ObjectLink({ resource, namespace = '', name, className }: Props) {
  const shared = { preload: false, children: name, ...(className !== undefined && { className }) } as const;
  if (isIn(CLUSTER_WIDE, resource)) return <Link {...shared} to={CLUSTER_WIDE[resource]} params={{ name }} />;
  if (isIn(NAMESPACED, resource))
    return <Link {...shared} to={NAMESPACED[resource]} params={{ namespace, name }} />;
  if (resource === 'ownedaccesskeys') return <Link {...shared} to="/accesskeys" />;
  return <span className={className}>{name}</span>;
}

/** Links to objects that are in no namespace, one after the other. */
export const ObjectLinks = ({
  resource,
  names,
}: {
  readonly resource: string;
  readonly names: readonly string[];
}) => names.map((name) => <ObjectLink key={name} {...{ resource, name, className: 'tag' }} />);
