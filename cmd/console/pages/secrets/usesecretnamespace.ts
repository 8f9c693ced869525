import { pathOf } from '../../client/paths.js';
import { PROJECTS, projectForm } from '../../client/projects.js';
import { useAllowed, type Deed } from '../../client/reviews.js';
import { SECRETS } from '../../client/secrets.js';
import { useNamespacePrefix } from '../../client/useprefix.js';
import { useLive } from '../../live/uselive.js';

/** The maximum number of projects with an access review of their own. */
const MAX = 20;
const DEFAULT = 'default';

const createIn = (namespace: string): Deed => ({ verb: 'create', resource: SECRETS, namespace, name: '' });

/**
 * A namespace in which the user may create secrets: `default`, or that of one of the first projects that the user can
 * see. Undefined until it is known, and if the user may create secrets in none of these.
 */
export function useSecretNamespace(): string | undefined {
  const prefix = useNamespacePrefix();
  const { items } = useLive(pathOf(PROJECTS), 'project', projectForm);
  const projects = prefix === undefined ? [] : items.slice(0, MAX).map(({ metadata }) => metadata.name ?? '');
  const [first] = useAllowed([DEFAULT, ...projects.map((name) => `${prefix}${name}`)].map(createIn));
  return first?.namespace;
}
