/** Secrets that ProjectSecrets declare with `spec.sync`. Pure functions. */
import type { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import { MANAGED_BY } from '../sharing/managednames.js';
import { structuredLabelSelector } from '../../apimachinery/selectors/structured.js';
import { emptyData } from './content.js';
import { KEYS, PROJECT_SECRET_NAME, SYNCED_FOR, type SecretMetadata } from './labels.js';
import type { Instance } from './places.js';
import type { LiveSecret } from './plan.js';

export interface Declared {
  readonly namespace: string;
  readonly name: string;
  /** The value of {@link SYNCED_FOR}. */
  readonly mark: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly type: string;
}

/** The Secret for a space; undefined: the space gets none. */
export function declaredIn(
  secret: ProjectSecret,
  { inside, labels, name: space }: Instance,
): Declared | undefined {
  const { sync } = secret.spec ?? {};
  const { uid = '', name: own = '', deletionTimestamp } = secret.metadata;
  if (sync === undefined || inside === undefined || deletionTimestamp !== undefined) return undefined;
  const { spaceSelector, spaces = [] } = sync;
  const isSelected = spaceSelector !== undefined && structuredLabelSelector(spaceSelector).matches(labels);
  if (!isSelected && !spaces.includes(space)) return undefined;
  const { name = '', type = '' } = sync;
  const keys = Object.entries(sync.keys ?? {}).map(([to, from]) => `${to}=${from}`);
  const mark = `${uid} ${type || 'Opaque'}`;
  return {
    namespace: inside,
    name: name || own,
    mark,
    type: type || 'Opaque',
    labels: { [PROJECT_SECRET_NAME]: own, [MANAGED_BY.label]: MANAGED_BY.value },
    annotations: { [SYNCED_FOR]: mark, ...(keys.length > 0 && { [KEYS]: keys.sort().join() }) },
  };
}

/** Whether a ProjectSecret declares Secrets. */
export const declares = ({ spec }: ProjectSecret): boolean =>
  spec?.sync?.spaceSelector !== undefined || (spec?.sync?.spaces ?? []).length > 0;

export const bodyOf = ({ namespace, name, labels, annotations, type }: Declared): LiveSecret => ({
  metadata: { namespace, name, labels, annotations },
  type,
  data: emptyData(type),
});

/** Whether this server created it for the ProjectSecret with this uid. */
export const isCreatedFor = ({ annotations }: SecretMetadata, uid: string): boolean =>
  annotations[SYNCED_FOR]?.startsWith(`${uid} `) === true;

/** Whether it is unchanged since its creation, except for its data. */
export function isAsDeclared({ labels, annotations }: SecretMetadata, declared: Declared): boolean {
  return (
    labels[PROJECT_SECRET_NAME] === declared.labels[PROJECT_SECRET_NAME] &&
    annotations[SYNCED_FOR] === declared.mark &&
    annotations[KEYS] === declared.annotations[KEYS]
  );
}
