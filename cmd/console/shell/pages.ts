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
  ['/grouprules', 'rules'],
  ['/audit', 'audit'],
] as const;
