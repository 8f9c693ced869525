import { pathOf } from '../../client/paths.js';
import { PROJECTS, projectForm } from '../../client/projects.js';
import type { Deed } from '../../client/reviews.js';
import { useAllowed } from '../../client/reviews.js';
import { SECRETS } from '../../client/secrets.js';
import { useNamespacePrefix } from '../../client/useprefix.js';
import { useLive } from '../../live/uselive.js';

/** So many projects are asked about, one by one. */
const MAX = 20;
const DEFAULT = 'default';

const createIn = (namespace: string): Deed => ({ verb: 'create', resource: SECRETS, namespace, name: '' });

/**
 * A namespace in which the person may create secrets: `default`, or that of one of the first projects that they see. Undefined
 * until it is known, and where they may in none of these.
 */
export function useSecretNamespace(): string | undefined {
  const prefix = useNamespacePrefix();
  const { items } = useLive(pathOf(PROJECTS), 'project', projectForm);
  const projects = prefix === undefined ? [] : items.slice(0, MAX).map(({ metadata }) => metadata.name ?? '');
  const [first] = useAllowed([DEFAULT, ...projects.map((name) => `${prefix}${name}`)].map(createIn));
  return first?.namespace;
}
