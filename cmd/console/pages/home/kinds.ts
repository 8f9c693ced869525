/** The kinds that the home page counts, and their pages. */
export const KINDS = {
  sharedsecrets: '/secrets',
  projectsecrets: '/secrets',
  ownedaccesskeys: '/accesskeys',
  projects: '/projects',
  spaceinstances: '/spaces',
  virtualclusterinstances: '/virtualclusters',
  clusters: '/clusters',
} as const;

export type Kind = keyof typeof KINDS;

export const isKind = (resource: string): resource is Kind => Object.hasOwn(KINDS, resource);
