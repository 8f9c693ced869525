/** What `list`, `create` and `delete` can be told, by the words of the command line. */
import { type Client, type Place } from './connection/client.js';
import { usage } from './failure.js';
import { projectNamespace } from './project.js';

export interface Noun {
  /** Singular; the plural has an `s`. */
  readonly word: string;
  readonly plural: string;
  readonly kind: string;
  /** Where its objects lie. */
  readonly within: 'cluster' | 'project' | 'namespace';
  readonly describe: string;
}

export const NOUNS: readonly Noun[] = [
  {
    word: 'secret',
    plural: 'sharedsecrets',
    kind: 'SharedSecret',
    within: 'namespace',
    describe: 'shared secrets, or with --project those of a project',
  },
  {
    word: 'accesskey',
    plural: 'ownedaccesskeys',
    kind: 'OwnedAccessKey',
    within: 'cluster',
    describe: 'access keys',
  },
  { word: 'user', plural: 'users', kind: 'User', within: 'cluster', describe: 'users' },
  { word: 'team', plural: 'teams', kind: 'Team', within: 'cluster', describe: 'teams' },
  { word: 'project', plural: 'projects', kind: 'Project', within: 'cluster', describe: 'projects' },
  {
    word: 'space',
    plural: 'spaceinstances',
    kind: 'SpaceInstance',
    within: 'project',
    describe: 'spaces of a project',
  },
  {
    word: 'vcluster',
    plural: 'virtualclusterinstances',
    kind: 'VirtualClusterInstance',
    within: 'project',
    describe: 'virtual clusters of a project',
  },
  { word: 'cluster', plural: 'clusters', kind: 'Cluster', within: 'cluster', describe: 'connected clusters' },
];

export interface PlaceOptions {
  readonly namespace?: string;
  readonly project?: string;
  readonly allNamespaces?: boolean;
}

/** The collection of a noun. Throws Failure, usage, where an option is missing. */
export async function placeOf(client: Client, noun: Noun, options: PlaceOptions): Promise<Place> {
  switch (noun.within) {
    case 'cluster':
      return { resource: noun.plural };
    case 'project': {
      if (options.allNamespaces === true) return { resource: noun.plural };
      if (options.project === undefined) throw usage(`name the project with --project`);
      return { resource: noun.plural, namespace: await projectNamespace(client, options.project) };
    }
    case 'namespace':
      if (options.project !== undefined)
        return { resource: 'projectsecrets', namespace: await projectNamespace(client, options.project) };
      if (options.allNamespaces === true) return { resource: noun.plural };
      return { resource: noun.plural, namespace: options.namespace ?? 'default' };
  }
}
