import { pathOf } from '../../client/paths.js';
import { PROJECTS, projectForm } from '../../client/projects.js';
import { useAllowed, type Deed } from '../../client/reviews.js';
import { PROJECT_SECRETS, SECRETS } from '../../client/secrets.js';
import { projectOf, useNamespacePrefix } from '../../client/useprefix.js';
import { useLive } from '../../live/uselive.js';

/** The maximum number of projects with an access review of their own. */
const MAX = 20;
/** The namespace of shared secrets, as the command line has it. */
export const SHARED_NAMESPACE = 'default';

/** The places in which the user may create secrets. */
export interface SecretPlaces {
  /** Whether the user may create shared secrets. */
  readonly shared: boolean;
  /** The first projects in which the user may create secrets. */
  readonly projects: readonly string[];
}

const createIn = (resource: string, namespace: string): Deed => ({
  verb: 'create',
  resource,
  namespace,
  name: '',
});

/** Nowhere until it is known. */
export function useSecretPlaces(): SecretPlaces {
  const prefix = useNamespacePrefix();
  const { items } = useLive(pathOf(PROJECTS), 'project', projectForm);
  const projects = prefix === undefined ? [] : items.slice(0, MAX).map(({ metadata }) => metadata.name ?? '');
  const allowed = useAllowed([
    createIn(SECRETS, SHARED_NAMESPACE),
    ...projects.map((name) => createIn(PROJECT_SECRETS, `${prefix}${name}`)),
  ]);
  return {
    shared: allowed.some(({ resource }) => resource === SECRETS),
    projects: allowed.map(({ namespace }) => projectOf(namespace, prefix)).filter(Boolean),
  };
}
