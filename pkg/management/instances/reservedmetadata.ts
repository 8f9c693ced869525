/** ReservedMetadata: annotations, labels and finalizers that only the server may set. */
import type { KubeObject } from '../../../api/resource.js';
import { forbidden, quote, userCannot } from '../../apimachinery/errors.js';
import {
  IMPORTED_ANNOTATION,
  MOVED_FROM_ANNOTATION,
  PROJECT_FINALIZER,
  PROJECT_LABEL,
  PROJECT_UID_ANNOTATION,
  SPACE_FINALIZER,
  SYNC_FINALIZER,
} from '../projects/names.js';
import type { Authorizer, ResourceAttributes } from '../../authorization/interface.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { asInstance } from '../asinstance.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { requestFor } from '../../apimachinery/attributes.js';
import { Cluster } from '../../../api/management.svc.example/v1/cluster.js';

const GROUP = 'management.svc.example';
const INSTANCES: readonly string[] = ['SpaceInstance', 'VirtualClusterInstance'];
/** The server's finalizers, by kind. */
const FINALIZERS: Readonly<Record<string, string>> = {
  Project: PROJECT_FINALIZER,
  SpaceInstance: SPACE_FINALIZER,
  ProjectSecret: SYNC_FINALIZER,
};

const isNamespace = kindsOf('', 'Namespace');
const hasReserved = kindsOf(GROUP, ...INSTANCES, ...Object.keys(FINALIZERS));

/**
 * Marking an instance as imported requires the verb `import` on its Cluster, as naming its place does. The server's
 * finalizers require `update` on `<resource>/finalizers`, which ownership does not grant. Only the server sets the
 * origin of a moved instance and the project of a namespace. Without the right, a write leaves these unchanged.
 */
export function reservedMetadata(authorizer: Pick<Authorizer, 'authorize'>): AdmissionPlugin {
  const may: May = async ({ requester }, asked) => (await authorizer.authorize(requester, asked)).allowed;

  return {
    name: 'ReservedMetadata',
    concerns: (kind) => isNamespace(kind) || hasReserved(kind),
    async mutate(attributes, object, previous) {
      const { definition, requester } = attributes;
      if (requester.internal === true) return;
      if (isNamespace(definition)) {
        if (previous !== undefined) keepProject(object, previous);
        return;
      }
      if (attributes.subresource !== '') return;
      const finalizer = FINALIZERS[definition.kind];
      if (finalizer !== undefined) await keepFinalizer(may, attributes, object, previous, finalizer);
      if (!INSTANCES.includes(definition.kind)) return;
      set(object, MOVED_FROM_ANNOTATION, previous?.metadata.annotations?.[MOVED_FROM_ANNOTATION]);
      await keepImported(may, attributes, object, previous);
    },
    /** Validates, as the cluster of an update that omits it is only known after mutating admission. */
    async validate(attributes, object, previous) {
      const { definition, requester, subresource } = attributes;
      if (subresource !== '' || requester.internal === true) return;
      if (object === undefined || !INSTANCES.includes(definition.kind)) return;
      await checkImported(may, attributes, object, previous);
    },
  };
}

/** Whether the writer has a right. */
type May = (attributes: AdmissionAttributes, asked: ResourceAttributes) => Promise<boolean>;

async function keepFinalizer(
  may: May,
  attributes: AdmissionAttributes,
  object: KubeObject,
  previous: KubeObject | undefined,
  finalizer: string,
): Promise<void> {
  const has = ({ metadata }: KubeObject): boolean => (metadata.finalizers ?? []).includes(finalizer);
  const had = previous !== undefined && has(previous);
  if (has(object) === had) return;
  const { definition, namespace, name, warn } = attributes;
  const asked = requestFor('update', definition, { namespace, name, subresource: 'finalizers' });
  if (await may(attributes, asked)) return;
  const others = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
  object.metadata.finalizers = had ? [...others, finalizer] : others;
  // The strategy adds the finalizer to a project that is not being deleted.
  const isEnding = previous?.metadata.deletionTimestamp !== undefined;
  if (previous !== undefined && (isEnding || definition.kind !== 'Project'))
    warn?.(
      `metadata.finalizers: ${finalizer} is unchanged: changing it requires update on ${definition.plural}/finalizers`,
    );
}

/** Removing the mark also requires the verb `import` on the Cluster. */
async function keepImported(
  may: May,
  attributes: AdmissionAttributes,
  object: KubeObject,
  previous: KubeObject | undefined,
): Promise<void> {
  if (previous === undefined || !isImported(previous) || isImported(object)) return;
  if (await may(attributes, importOf(clusterOf(previous)))) return;
  set(object, IMPORTED_ANNOTATION, 'true');
}

async function checkImported(
  may: May,
  attributes: AdmissionAttributes,
  object: KubeObject,
  previous: KubeObject | undefined,
): Promise<void> {
  if (!isImported(object)) return;
  const cluster = clusterOf(object);
  if (previous !== undefined && isImported(previous) && cluster === clusterOf(previous)) return;
  const asked = importOf(cluster);
  if (await may(attributes, asked)) return;
  const { definition, name, requester } = attributes;
  const why = `metadata.annotations[${IMPORTED_ANNOTATION}]: ${userCannot(requester.name, asked)}: ${quote(cluster)}`;
  throw forbidden(definition, name, why);
}

/** The right to import from a cluster. */
export const importOf = (name: string): ResourceAttributes => requestFor('import', Cluster, { name });

const isImported = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[IMPORTED_ANNOTATION] === 'true';

export const clusterOf = (object: KubeObject | undefined): string =>
  asInstance(object)?.spec?.clusterRef?.cluster ?? '';

/** Preserves the label and the annotation by which the namespace is deleted with its project. */
function keepProject(object: KubeObject, { metadata }: KubeObject): void {
  const label = metadata.labels?.[PROJECT_LABEL];
  if (label !== undefined) object.metadata.labels = { ...object.metadata.labels, [PROJECT_LABEL]: label };
  const uid = metadata.annotations?.[PROJECT_UID_ANNOTATION];
  if (uid !== undefined) set(object, PROJECT_UID_ANNOTATION, uid);
}

/** Sets an annotation; undefined removes it. */
function set({ metadata }: KubeObject, annotation: string, value: string | undefined): void {
  if (metadata.annotations?.[annotation] === value) return;
  const { [annotation]: _sent, ...others } = metadata.annotations ?? {};
  metadata.annotations = value === undefined ? others : { ...others, [annotation]: value };
}
