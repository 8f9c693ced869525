import type { KubeObject } from '../../../api/resource.js';
import type { FieldError } from '../../apimachinery/errors.js';
import {
  badRequest,
  fieldRequired,
  forbidden,
  generateNameExhausted,
  invalid,
  notFound,
  serverTimeout,
  tooLarge,
} from '../../apimachinery/errors.js';
import { generateName } from '../../apimachinery/names.js';
import { dedupeOwnerReferences, validateMetadataCreate } from '../../apimachinery/validation/metadata.js';
import { slices } from '../../apimachinery/slices.js';
import { MAX_VALUE_BYTES, StorageError } from '../../storage/interface.js';
import type { AdmissionAttributes } from '../admission.js';
import { mutate } from '../admission.js';
import { insert, taken } from './insert.js';
import { namespaceOfKey } from '../keys.js';
import { beginMetadata, settleNamespace, timestamp, wipeMetadata } from '../object/metadata.js';
import type { Sent } from '../object/writeonlyfields.js';
import { privateConflict, takeSent } from '../object/writeonlyfields.js';
import type { ResourceStore, Stored } from './resourcestore.js';
import { keptAs, unavailable } from './resourcestore.js';
import type { Requester } from '../strategy.js';
import { trackCreate } from '../object/fieldmanager.js';

const NAME_ATTEMPTS = 8;

/** How a write is to be done, and where its warnings go. */
export interface WriteContextOptions {
  readonly requester: Requester;
  readonly dryRun: boolean;
  readonly warn: (text: string) => void;
}

/** Of a write whose fields are tracked. */
export interface TrackedWriteOptions extends WriteContextOptions {
  /** Who owns what is written; `''` is stored as `unknown`. */
  readonly fieldManager: string;
}

/**
 * Creates `object` in `namespace` (`''` for cluster-scoped kinds); changes `object`. Throws StatusError: 400, 403 and
 * others of admission, 404 without the namespace, 409, 413, 422, 500 ServerTimeout.
 */
export async function createObject(
  store: ResourceStore,
  namespace: string,
  object: KubeObject,
  options: TrackedWriteOptions,
): Promise<Stored> {
  const pause = slices();
  const meta = object.metadata;
  refuseResourceVersion(meta.resourceVersion, options.dryRun);
  settleNamespace(store.definition, meta, namespace);
  wipeMetadata(meta);
  const duplicates = dedupeOwnerReferences(meta);
  if (duplicates !== undefined) options.warn(duplicates);
  await trackCreate(store, object, options.fieldManager);
  await pause();
  const { requester, dryRun, warn } = options;
  return createTracked(store, namespace, object, { requester, dryRun, warn, managedFieldsNeeded: false });
}

/** How a new object is stored whose managedFields are there. */
export interface CreateOptions extends WriteContextOptions {
  /** Whether an object that is too large with its managedFields is refused; else it is stored without them. */
  readonly managedFieldsNeeded: boolean;
}

/** Creates an object that has its managedFields. Throws as {@link createObject}. */
export async function createTracked(
  store: ResourceStore,
  namespace: string,
  object: KubeObject,
  options: CreateOptions,
): Promise<Stored> {
  const meta = object.metadata;
  const generated = (meta.name ?? '') === '' && (meta.generateName ?? '') !== '';
  const sent = takeSent(store, object);
  for (let attempt = 1; ; attempt += 1) {
    const draft = generated ? structuredClone(object) : object;
    try {
      return await createOnce(store, namespace, draft, sent, options);
    } catch (error) {
      if (!(error instanceof StorageError) || error.failure.code !== 'exists')
        throw translate(store, draft, error, 'create');
      const name = draft.metadata.name ?? '';
      const conflict = privateConflict(store, name, error);
      if (conflict !== undefined) throw conflict;
      if (!generated) throw taken(store, name, error.failure.current.value);
      if (attempt === NAME_ATTEMPTS) throw generateNameExhausted(store.definition, name);
    }
  }
}

async function createOnce(
  store: ResourceStore,
  namespace: string,
  object: KubeObject,
  sent: Sent,
  options: CreateOptions,
): Promise<Stored> {
  const { definition, strategy, admission } = store;
  const pause = slices();
  const meta = object.metadata;
  const now = timestamp();
  const attributes: { -readonly [M in keyof AdmissionAttributes]: AdmissionAttributes[M] } = {
    definition,
    operation: 'CREATE',
    subresource: '',
    namespace,
    name: meta.name ?? '',
    requester: options.requester,
    dryRun: options.dryRun,
    warn: options.warn,
  };
  // A text would be taken apart by what fills in members: 3 MB of one are as many members.
  if (typeof object.spec === 'string') checkSchema(store, object);
  await mutate(admission, attributes, object, undefined, options.warn);
  const version = meta.resourceVersion;
  beginMetadata(meta, now, strategy.generation);
  if ((meta.name ?? '') === '' && (meta.generateName ?? '') !== '')
    meta.name = generateName(meta.generateName as string);
  await pause();
  checkSchema(store, object);
  await pause();
  strategy.prepareForCreate?.(object, { requester: options.requester, subresource: '', now });
  const duplicates = dedupeOwnerReferences(meta, true);
  if (duplicates !== undefined) options.warn(duplicates);
  await pause();
  validateNew(store, object, strategy.privateState?.validate(sent) ?? []);
  for (const text of strategy.warnings?.(object, undefined) ?? []) options.warn(text);
  await pause();
  const { managedFieldsNeeded } = options;
  attributes.name = meta.name ?? '';
  return insert(store, { attributes, object, version, now, sent, managedFieldsNeeded });
}

function refuseResourceVersion(resourceVersion: string | undefined, dryRun: boolean): void {
  if (dryRun || resourceVersion === undefined || !/^\d+$/.test(resourceVersion)) return;
  if (!/^0+$/.test(resourceVersion))
    throw badRequest('resourceVersion should not be set on objects to be created');
}

/** What strategies are given fits the schema. The status of a new object is not the client's, and not looked at. */
function checkSchema(store: ResourceStore, object: KubeObject): void {
  const misfits = store.schema.check(object.status === undefined ? object : withoutStatus(object));
  if (misfits.length > 0) throw invalid(keptAs(store), object.metadata.name ?? '', misfits);
}

function withoutStatus({ status: _ignored, ...rest }: KubeObject): KubeObject {
  return rest as KubeObject;
}

/** Kubernetes' own kinds tell everything at once, metadata first; others tell of metadata when all else is well. */
function validateNew(store: ResourceStore, object: KubeObject, ofSent: readonly FieldError[]): void {
  const { definition, schema, strategy } = store;
  const misfits = schema.check(object);
  const fitting = (): FieldError[] => [
    ...(strategy.validate?.(object) ?? []),
    ...(strategy.validateCreate?.(object) ?? []),
    ...ofSent,
  ];
  const own = misfits.length > 0 ? misfits : fitting();
  const metadata = definition.builtIn || own.length === 0 ? metadataErrors(store, object) : [];
  const errors = [...metadata, ...own];
  if (errors.length > 0) throw invalid(keptAs(store), object.metadata.name ?? '', errors);
}

function metadataErrors({ definition }: ResourceStore, { metadata }: KubeObject): FieldError[] {
  if ((metadata.name ?? '') !== '') return validateMetadataCreate(metadata, definition);
  return [fieldRequired('metadata.name', 'name or generateName is required')];
}

/** As errors name it. */
type WriteOperation = 'create' | 'update' | 'delete';

/** What a storage failure of a write means to the client. */
export function translate(
  store: ResourceStore,
  object: KubeObject,
  error: unknown,
  operation: WriteOperation,
): unknown {
  if (!(error instanceof StorageError)) return error;
  const { failure } = error;
  const conflict = privateConflict(store, object.metadata.name ?? '', error);
  if (conflict !== undefined) return conflict;
  if (failure.code === 'too large') return tooLarge(MAX_VALUE_BYTES);
  if (failure.code === 'not found') {
    const namespace = namespaceOfKey(failure.key);
    if (namespace !== undefined) return notFound({ group: '', plural: 'namespaces' }, namespace);
  }
  // Of a create: its namespace changed each time that it was looked at.
  if (failure.code === 'conflict' && operation === 'create')
    return serverTimeout(store.definition, operation);
  if (failure.code === 'unavailable' || failure.code === 'undecryptable')
    return unavailable(store, operation, error);
  return forbidden(store.definition, object.metadata.name ?? '', error.message);
}
