/** Every page has a URL that can be shared; each is a file of its own, fetched when it is gone to. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { NotFound } from './notfound.js';
import { Shell } from './shell.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home/home.js'), 'HomePage'),
});

/** What is searched for is in the URL. */
export interface ListSearch {
  readonly q?: string;
}

/** The object's path in the API. */
export interface YamlSearch {
  readonly path?: string;
}

const searchOf = ({ q }: Record<string, unknown>): ListSearch =>
  typeof q === 'string' && q !== '' ? { q } : {};

const secrets = createRoute({
  getParentRoute: () => root,
  path: '/secrets',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('../pages/secrets/secrets.js'), 'SecretsPage'),
});

const spaces = createRoute({
  getParentRoute: () => root,
  path: '/spaces',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('../pages/instances/instances.js'), 'SpacesPage'),
});

const space = createRoute({
  getParentRoute: () => root,
  path: '/spaces/$namespace/$name',
  component: lazyRouteComponent(() => import('../pages/instances/instance.js'), 'SpacePage'),
});

const virtualClusters = createRoute({
  getParentRoute: () => root,
  path: '/virtualclusters',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('../pages/instances/instances.js'), 'VirtualClustersPage'),
});

const virtualCluster = createRoute({
  getParentRoute: () => root,
  path: '/virtualclusters/$namespace/$name',
  component: lazyRouteComponent(() => import('../pages/instances/instance.js'), 'VirtualClusterPage'),
});

const secret = createRoute({
  getParentRoute: () => root,
  path: '/secrets/$namespace/$name',
  component: lazyRouteComponent(() => import('../pages/secrets/secret.js'), 'SecretPage'),
});

const accessKeys = createRoute({
  getParentRoute: () => root,
  path: '/accesskeys',
  component: lazyRouteComponent(() => import('../pages/accesskeys/accesskeys.js'), 'AccessKeysPage'),
});

const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  component: lazyRouteComponent(() => import('../pages/projects/projects.js'), 'ProjectsPage'),
});

const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$name',
  component: lazyRouteComponent(() => import('../pages/projects/project.js'), 'ProjectPage'),
});

const users = createRoute({
  getParentRoute: () => root,
  path: '/users',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('../pages/people/users.js'), 'UsersPage'),
});

const user = createRoute({
  getParentRoute: () => root,
  path: '/users/$name',
  component: lazyRouteComponent(() => import('../pages/people/user.js'), 'UserPage'),
});

const teams = createRoute({
  getParentRoute: () => root,
  path: '/teams',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('../pages/people/teams.js'), 'TeamsPage'),
});

const team = createRoute({
  getParentRoute: () => root,
  path: '/teams/$name',
  component: lazyRouteComponent(() => import('../pages/people/team.js'), 'TeamPage'),
});

const clusters = createRoute({
  getParentRoute: () => root,
  path: '/clusters',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('../pages/clusters/clusters.js'), 'ClustersPage'),
});

const cluster = createRoute({
  getParentRoute: () => root,
  path: '/clusters/$name',
  component: lazyRouteComponent(() => import('../pages/clusters/cluster.js'), 'ClusterPage'),
});

const yaml = createRoute({
  getParentRoute: () => root,
  path: '/yaml',
  validateSearch: ({ path }: Record<string, unknown>): YamlSearch =>
    typeof path === 'string' ? { path } : {},
  component: lazyRouteComponent(() => import('../pages/yaml/yaml.js'), 'YamlPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    ...[home, secrets, secret, accessKeys, projects, project],
    ...[spaces, space, virtualClusters, virtualCluster],
    ...[users, user, teams, team, clusters, cluster, yaml],
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
