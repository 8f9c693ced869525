/** Every page has a URL that can be shared, and is a file of its own that is loaded on demand. */
import { createRootRoute, createRoute, createRouter, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazyPart } from './lazypart.js';
import { FILTER_NAMES, type AuditFilters } from '../client/auditfilters.js';
import { Shell } from './shell.js';
import { useTexts } from '../texts/texts.js';
import { Page } from '../ui/page.js';
import { Button } from '../ui/button.js';
import { Fault } from '../ui/fault.js';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** The search text, the sorting and the filter are in the URL. */
interface ListSearch {
  readonly q?: string;
  /** A column that the list is sorted by; `-` before it: descending. */
  readonly sort?: string;
  /** The name of a filter. */
  readonly show?: string;
}

/** The path of the object in the API. */
interface YamlSearch {
  readonly path?: string;
}

const searchOf = ({ q, sort, show }: Record<string, unknown>): ListSearch => ({
  ...(typeof q === 'string' && q !== '' && { q }),
  ...(typeof sort === 'string' && sort !== '' && { sort }),
  ...(typeof show === 'string' && show !== '' && { show }),
});

/** The path of the object in the API, and the verb. */
interface WhoCanSearch extends YamlSearch {
  readonly verb?: string;
}

type Load<Name extends string> = () => Promise<Readonly<Record<Name, () => ReactNode>>>;

const at = <Path extends string, Name extends string>(path: Path, load: Load<Name>, name: Name) =>
  createRoute({ getParentRoute: () => root, path, component: lazyPart(load, name) });

const listAt = <Path extends string, Name extends string>(path: Path, load: Load<Name>, name: Name) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: searchOf,
    component: lazyPart(load, name),
  });

const home = at('/', () => import('../pages/home/home.js'), 'HomePage');
const secrets = listAt('/secrets', () => import('../pages/secrets/secrets.js'), 'SecretsPage');
const spaces = listAt('/spaces', () => import('../pages/instances/instances.js'), 'SpacesPage');
const space = at('/spaces/$namespace/$name', () => import('../pages/instances/instance.js'), 'SpacePage');
const virtualClusters = listAt(
  '/virtualclusters',
  () => import('../pages/instances/instances.js'),
  'VirtualClustersPage',
);
const virtualCluster = at(
  '/virtualclusters/$namespace/$name',
  () => import('../pages/instances/instance.js'),
  'VirtualClusterPage',
);
const secret = at('/secrets/$namespace/$name', () => import('../pages/secrets/secret.js'), 'SecretPage');
const projectSecret = at(
  '/projectsecrets/$namespace/$name',
  () => import('../pages/secrets/secret.js'),
  'ProjectSecretPage',
);
const accessKeys = listAt('/accesskeys', () => import('../pages/accesskeys/accesskeys.js'), 'AccessKeysPage');
const accessKey = at('/accesskeys/$name', () => import('../pages/accesskeys/key.js'), 'KeyPage');
const projects = listAt('/projects', () => import('../pages/projects/projects.js'), 'ProjectsPage');
const project = at('/projects/$name', () => import('../pages/projects/project.js'), 'ProjectPage');
const users = listAt('/users', () => import('../pages/people/users.js'), 'UsersPage');
const user = at('/users/$name', () => import('../pages/people/user.js'), 'UserPage');
const teams = listAt('/teams', () => import('../pages/people/teams.js'), 'TeamsPage');
const team = at('/teams/$name', () => import('../pages/people/team.js'), 'TeamPage');
const rules = listAt('/grouprules', () => import('../pages/grouprules/grouprules.js'), 'GroupRulesPage');
const rule = at('/grouprules/$name', () => import('../pages/grouprules/grouprule.js'), 'GroupRulePage');
const clusters = listAt('/clusters', () => import('../pages/clusters/clusters.js'), 'ClustersPage');
const cluster = at('/clusters/$name', () => import('../pages/clusters/cluster.js'), 'ClusterPage');

/** The filters. A value that looks like a number in the URL is a text. */
const auditSearchOf = (given: Record<string, unknown>): AuditFilters =>
  Object.fromEntries(
    FILTER_NAMES.filter((name) => ['string', 'number', 'boolean'].includes(typeof given[name]))
      .map((name) => [name, String(given[name])] as const)
      .filter(([, value]) => value !== ''),
  );

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditSearchOf,
  component: lazyPart(() => import('../pages/audit/audit.js'), 'AuditPage'),
});

const yaml = createRoute({
  getParentRoute: () => root,
  path: '/yaml',
  validateSearch: ({ path }: Record<string, unknown>): YamlSearch =>
    typeof path === 'string' ? { path } : {},
  component: lazyPart(() => import('../pages/yaml/yaml.js'), 'YamlPage'),
});

const whoCan = createRoute({
  getParentRoute: () => root,
  path: '/whocan',
  validateSearch: ({ path, verb }: Record<string, unknown>): WhoCanSearch => ({
    ...(typeof path === 'string' && { path }),
    ...(typeof verb === 'string' && { verb }),
  }),
  component: lazyPart(() => import('../pages/whocan/whocan.js'), 'WhoCanPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    secrets,
    secret,
    projectSecret,
    accessKeys,
    accessKey,
    projects,
    project,
    spaces,
    space,
    virtualClusters,
    virtualCluster,
    users,
    user,
    teams,
    team,
    rules,
    rule,
    clusters,
    cluster,
    audit,
    yaml,
    whoCan,
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: PageFault,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  const texts = useTexts();
  return (
    <Page title={texts.state.pageNotFound}>
      <Link to="/">{texts.state.home}</Link>
    </Page>
  );
}

/** Shown instead of a page that could not be loaded or rendered. */
function PageFault({ error }: { readonly error: unknown }) {
  const { state } = useTexts();
  return (
    <Page title={state.failed}>
      <Fault error={error} />
      {/* A part that did not come is remembered as missing until the page is loaded anew. */}
      <Button onPress={() => window.location.reload()}>{state.retry}</Button>
    </Page>
  );
}
