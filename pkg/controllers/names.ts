/** The loops that `--controllers` can name, apart from their code, which is loaded late. */

export interface ControllerName {
  /** That of kube-controller-manager where it has such a loop. */
  readonly name: string;
  /** An older name that is understood too. */
  readonly alias?: string;
  /** Behind another API server that one's controllers do it. */
  readonly ofHost?: boolean;
}

export const CONTROLLER_NAMES = [
  { name: 'namespace-controller', alias: 'namespace', ofHost: true },
  { name: 'serviceaccount-controller', alias: 'serviceaccount', ofHost: true },
  { name: 'root-ca-certificate-publisher-controller', alias: 'root-ca-cert-publisher', ofHost: true },
  { name: 'garbage-collector-controller', alias: 'garbagecollector', ofHost: true },
  { name: 'clusterrole-aggregation-controller', alias: 'clusterrole-aggregation', ofHost: true },
  { name: 'reaper-controller' },
  { name: 'cluster-controller' },
  { name: 'user-teams-controller' },
  { name: 'host-labels-controller' },
  { name: 'shared-secret-sync-controller' },
  { name: 'project-controller' },
  { name: 'space-provisioner-controller' },
  { name: 'access-rules-controller' },
] as const satisfies readonly ControllerName[];

/**
 * Whether `--controllers` turns a loop on: by its name, not with `-name`, else by `*`
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

/** Those that a server behind another one leaves to it. */
export function isOfHost(name: string): boolean {
  const known: readonly ControllerName[] = CONTROLLER_NAMES;
  return known.find((one) => one.name === name)?.ofHost === true;
}

function namesOf(name: string): string[] {
  const known: readonly ControllerName[] = CONTROLLER_NAMES;
  const alias = known.find((one) => one.name === name)?.alias;
  return alias === undefined ? [name] : [name, alias];
}

/** The items of `--controllers`. Throws an Error for one that names nothing. */
export function parseControllers(given: string): string[] {
  const known = CONTROLLER_NAMES.map(({ name }) => name);
  const names = new Set(known.flatMap(namesOf));
  const chosen = given.split(',').map((item) => item.trim());
  const stray = chosen.find((item) => item !== '*' && !names.has(item.replace(/^-/, '')));
  if (stray === undefined) return chosen;
  throw new Error(`"${stray}" is not in the list of known controllers: ${known.join(', ')}`);
}
