/** The nouns of the command line, and the resources that they stand for. */

export interface Noun {
  /** Singular; the plural has an `s`. */
  readonly word: string;
  readonly plural: string;
  readonly kind: string;
  /** The scope of its objects. */
  readonly within: 'cluster' | 'project' | 'namespace';
  /** With its article, for help. */
  readonly one: string;
  /** Plural, for help. */
  readonly many: string;
}

export const NOUNS: readonly Noun[] = [
  {
    word: 'secret',
    plural: 'sharedsecrets',
    kind: 'SharedSecret',
    within: 'namespace',
    one: 'a secret',
    many: 'shared secrets, with --project those of a project',
  },
  {
    word: 'accesskey',
    plural: 'ownedaccesskeys',
    kind: 'OwnedAccessKey',
    within: 'cluster',
    one: 'an access key',
    many: 'access keys',
  },
  { word: 'user', plural: 'users', kind: 'User', within: 'cluster', one: 'a user', many: 'users' },
  {
    word: 'invitation',
    plural: 'invitations',
    kind: 'Invitation',
    within: 'cluster',
    one: 'an invitation',
    many: 'invitations',
  },
  { word: 'team', plural: 'teams', kind: 'Team', within: 'cluster', one: 'a team', many: 'teams' },
  {
    word: 'grouprule',
    plural: 'grouprules',
    kind: 'GroupRule',
    within: 'cluster',
    one: 'a group rule',
    many: 'group rules',
  },
  {
    word: 'project',
    plural: 'projects',
    kind: 'Project',
    within: 'cluster',
    one: 'a project',
    many: 'projects',
  },
  {
    word: 'space',
    plural: 'spaceinstances',
    kind: 'SpaceInstance',
    within: 'project',
    one: 'a space',
    many: 'spaces of a project',
  },
  {
    word: 'vcluster',
    plural: 'virtualclusterinstances',
    kind: 'VirtualClusterInstance',
    within: 'project',
    one: 'a virtual cluster',
    many: 'virtual clusters of a project',
  },
  {
    word: 'cluster',
    plural: 'clusters',
    kind: 'Cluster',
    within: 'cluster',
    one: 'a connected cluster',
    many: 'connected clusters',
  },
];

/** Of the namespaces of projects, where the server does not say another one. */
export const PROJECT_PREFIX = 'loft-p-';
