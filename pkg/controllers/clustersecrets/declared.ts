/** Secrets that ProjectSecrets declare with `spec.sync`. Pure functions. */
import type { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import { MANAGED_BY } from '../../management/access/managednames.js';
import { structuredLabelSelector } from '../../apimachinery/selectors/structured.js';
import { emptyData } from './content.js';
import { KEYS, PROJECT_SECRET_NAME, SYNCED_FOR } from './labels.js';
import type { SecretMetadata } from './labels.js';
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
export function declaredIn(secret: ProjectSecret, { inside, labels }: Instance): Declared | undefined {
  const { sync } = secret.spec ?? {};
  const { uid = '', name: own = '', deletionTimestamp } = secret.metadata;
  if (sync?.spaceSelector === undefined || inside === undefined || deletionTimestamp !== undefined)
    return undefined;
  if (!structuredLabelSelector(sync.spaceSelector).matches(labels)) return undefined;
  const { name = '', type = '' } = sync;
  const keys = Object.entries(sync.keys ?? {}).map(([to, from]) => `${to}=${from}`);
  const mark = `${uid} ${type || 'Opaque'}`;
  return {
    ...{ namespace: inside, name: name || own, mark, type: type || 'Opaque' },
    labels: { [PROJECT_SECRET_NAME]: own, [MANAGED_BY.label]: MANAGED_BY.value },
    annotations: { [SYNCED_FOR]: mark, ...(keys.length > 0 && { [KEYS]: keys.sort().join() }) },
  };
}

export const bodyOf = ({ namespace, name, labels, annotations, type }: Declared): LiveSecret => ({
  metadata: { namespace, name, labels, annotations },
  ...{ type, data: emptyData(type) },
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
