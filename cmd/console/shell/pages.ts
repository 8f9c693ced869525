/** The pages that are gone to by name, in the order in which they are shown: paths, and names of their texts. */
export const PAGES = [
  ['/', 'home'],
  ['/secrets', 'secrets'],
  ['/accesskeys', 'accessKeys'],
  ['/projects', 'projects'],
  ['/spaces', 'spaces'],
  ['/virtualclusters', 'virtualClusters'],
  ['/clusters', 'clusters'],
  ['/users', 'users'],
  ['/teams', 'teams'],
  ['/audit', 'audit'],
] as const;
