/** The pages in the navigation, in their order: paths, and the keys of their texts. */
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
