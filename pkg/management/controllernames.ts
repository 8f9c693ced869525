/** The controllers that `--controllers` can name, without their code, which is loaded late. */

export interface ControllerName {
  /** The name in kube-controller-manager, if it has such a controller. */
  readonly name: string;
  /** An older name that is accepted, too. */
  readonly alias?: string;
  /**
   * The only mode in which it runs: without an API server in front, whose controllers do its work, or behind
   * one.
   */
  readonly only?: 'standalone' | 'aggregated';
}

export const CONTROLLER_NAMES = [
  { name: 'namespace-controller', alias: 'namespace', only: 'standalone' },
  { name: 'serviceaccount-controller', alias: 'serviceaccount', only: 'standalone' },
  { name: 'serviceaccount-token-controller', alias: 'serviceaccount-token', only: 'standalone' },
  { name: 'root-ca-certificate-publisher-controller', alias: 'root-ca-cert-publisher', only: 'standalone' },
  { name: 'garbage-collector-controller', alias: 'garbagecollector', only: 'standalone' },
  { name: 'clusterrole-aggregation-controller', alias: 'clusterrole-aggregation', only: 'standalone' },
  { name: 'reaper-controller' },
  { name: 'cluster-controller' },
  { name: 'user-teams-controller' },
  { name: 'group-rule-controller' },
  { name: 'host-labels-controller' },
  { name: 'shared-secret-sync-controller' },
  { name: 'cluster-secret-sync-controller' },
  { name: 'project-controller' },
  { name: 'space-provisioner-controller' },
  { name: 'access-rules-controller' },
  { name: 'virtual-cluster-binding-controller' },
  { name: 'lost-objects-controller', only: 'aggregated' },
] as const satisfies readonly ControllerName[];

/**
 * Whether `--controllers` enables a controller: by its name, not with `-name`, else by `*`
 * (`k8s.io/controller-manager/app`: IsControllerEnabled).
 */
export function isEnabled(name: string, chosen: readonly string[]): boolean {
  const names = namesOf(name);
  for (const item of chosen) {
    if (names.includes(item)) return true;
    if (item.startsWith('-') && names.includes(item.slice(1))) return false;
  }
  return chosen.includes('*');
}

/** Whether a controller runs in a mode. */
export function isOfMode(name: string, mode: 'standalone' | 'aggregated'): boolean {
  const known: readonly ControllerName[] = CONTROLLER_NAMES;
  const { only = mode } = known.find((one) => one.name === name) ?? {};
  return only === mode;
}

/** Whether a server with these `--controllers` runs any. */
export const runsAny = (chosen: readonly string[], mode: 'standalone' | 'aggregated'): boolean =>
  CONTROLLER_NAMES.some(({ name }) => isEnabled(name, chosen) && isOfMode(name, mode));

function namesOf(name: string): string[] {
  const known: readonly ControllerName[] = CONTROLLER_NAMES;
  const alias = known.find((one) => one.name === name)?.alias;
  return alias === undefined ? [name] : [name, alias];
}

/** The items of `--controllers`. Throws an Error for an unknown name. */
export function parseControllers(given: string): string[] {
  const known = CONTROLLER_NAMES.map(({ name }) => name);
  const names = new Set(known.flatMap(namesOf));
  const chosen = given.split(',').map((item) => item.trim());
  const unknown = chosen.find((item) => item !== '*' && !names.has(item.replace(/^-/, '')));
  if (unknown === undefined) return chosen;
  throw new Error(`"${unknown}" is not in the list of known controllers: ${known.join(', ')}`);
}
