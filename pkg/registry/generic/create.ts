/**
 * POST, and PUT or apply of an object that does not exist. The stages are in the order of `k8s.io/apiserver`
 * (`createHandler`, `BeforeCreate`), like those of an update (`update.ts`): defaults, fields that clients cannot set,
 * managedFields, mutating admission; then the server's metadata and the name, the strategy's prepareForCreate,
 * validation, and validating admission (`creationresult.ts`). There is one difference: a create by PUT or apply is
 * authorized before its first stage, not before its last.
 */
import type { KubeObject } from '../../../api/resource.js';
import {
  StatusError,
  badRequest,
  fieldRequired,
  generateNameExhausted,
  invalid,
  type FieldError,
} from '../../apimachinery/errors.js';
import { generateName } from '../../apimachinery/names.js';
import { dedupeOwnerReferences, validateMetadataCreate } from '../../apimachinery/validation/metadata.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { mutate, type AdmissionAttributes } from '../admission.js';
import { creationResult, taken, type NewObject } from './creationresult.js';
import type { Entry } from '../../cache/interface.js';
import {
  answeredWith,
  guaranteedUpdate,
  type LiveState,
  type Step,
  type StepResult,
} from '../transaction/guaranteedupdate.js';
import { beginMetadata, settleNamespace, timestamp, wipeMetadata } from '../object/metadata.js';
import type { WriteOnlyValues } from '../object/interface.js';
import { takeWriteOnlyFields } from '../object/writeonlyfields.js';
import { storageResource, type ResourceStore, type Stored } from '../resourcestore.js';
import type { Requester } from '../requester.js';
import { trackCreate } from '../object/fieldmanager.js';

const NAME_ATTEMPTS = 8;
/** Codes of refusals that come before the conflict with an object of the same name. */
const NOT_ALLOWED: readonly number[] = [403, 422];

/** The context of a write, with the receiver of its warnings. */
export interface WriteContextOptions {
  readonly requester: Requester;
  readonly dryRun: boolean;
  readonly warn: (text: string) => void;
}

/** The options of a write whose field managers are tracked. */
export interface TrackedWriteOptions extends WriteContextOptions {
  /** The manager of the written fields; `''` is stored as `unknown`. */
  readonly fieldManager: string;
}

/**
 * Creates `object` in `namespace` (`''` for cluster-scoped kinds); modifies `object`. Throws StatusError: 400, 403
 * and others of admission, 404 without the namespace, 409, 413, 422, 500 ServerTimeout.
 */
export async function createObject(
  store: ResourceStore,
  namespace: string,
  object: KubeObject,
  options: TrackedWriteOptions,
): Promise<Stored> {
  const creation = await trackedCreation(store, namespace, object, options);
  // An invalid object is refused before the name is checked for conflicts.
  await creation.prepare();
  const { requester } = options;
  const { name } = creation;
  const target = {
    operation: 'create',
    namespace,
    name,
    user: requester.name,
    writer: requester,
    queues: false,
  } as const;
  return guaranteedUpdate(store, target, creation.step);
}

/** Returns the creation of an object that a client sent; modifies `object`. Throws StatusError 400. */
export async function trackedCreation(
  store: ResourceStore,
  namespace: string,
  object: KubeObject,
  options: TrackedWriteOptions,
): Promise<Creation> {
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
  return new Creation(store, namespace, object, { requester, dryRun, warn, managedFieldsNeeded: false });
}

/** The options for storing a new object that has its managedFields. */
export interface CreateOptions extends WriteContextOptions {
  /** Whether an object that managedFields make too large is refused; otherwise it is stored without them. */
  readonly managedFieldsNeeded: boolean;
}

/** The creation of an object that has its managedFields. It is prepared once for each name. */
export class Creation {
  private readonly sent: WriteOnlyValues;
  private readonly generated: boolean;
  private prepared: Promise<NewObject> | undefined;
  private names = 0;

  constructor(
    private readonly store: ResourceStore,
    private readonly namespace: string,
    private readonly object: KubeObject,
    private readonly options: CreateOptions,
  ) {
    const { name = '', generateName = '' } = object.metadata;
    this.generated = name === '' && generateName !== '';
    this.sent = takeWriteOnlyFields(store, object);
  }

  /** Undefined if the server generates it. */
  get name(): string | undefined {
    return this.generated ? undefined : this.object.metadata.name;
  }

  /** Runs mutating admission, the strategy and validation. Throws StatusError. */
  prepare(): Promise<NewObject> {
    return (this.prepared ??= this.prepareNext());
  }

  readonly step: Step<Stored> = async (state) => {
    const draft = await this.prepare();
    const { name = '' } = draft.object.metadata;
    if (state.live?.name !== name) return this.result(draft, state);
    if (!this.generated) throw await this.taken(draft, state.live);
    if (this.names === NAME_ATTEMPTS) throw generateNameExhausted(this.store.definition, name);
    this.prepared = undefined;
    return this.result(await this.prepare(), state);
  };

  /** Warnings of admission and of the strategy are those of an accepted write: they may say what else there is. */
  private async result(draft: NewObject, state: LiveState): Promise<StepResult<Stored>> {
    const result = await creationResult(this.store, draft, state);
    return answeredWith(result, draft.warnings, this.options.warn);
  }

  /** Whoever may not create the object, or not by this name, does not learn whether it exists. */
  private async taken({ attributes, object }: NewObject, live: Entry): Promise<unknown> {
    try {
      await this.store.admission.validate(attributes, object, undefined);
    } catch (error) {
      if (error instanceof StatusError && NOT_ALLOWED.includes(error.code)) return error;
    }
    // As kube-apiserver answers, although the name was not generated.
    const { generateName = '' } = object.metadata;
    return generateName === ''
      ? taken(this.store, live)
      : generateNameExhausted(this.store.definition, live.name);
  }

  private prepareNext(): Promise<NewObject> {
    this.names += 1;
    const draft = this.generated ? structuredClone(this.object) : this.object;
    return prepareNew(this.store, this.namespace, draft, this.sent, this.options);
  }
}

async function prepareNew(
  store: ResourceStore,
  namespace: string,
  object: KubeObject,
  sent: WriteOnlyValues,
  options: CreateOptions,
): Promise<NewObject> {
  const { definition, strategy, admission } = store;
  const pause = slices();
  const meta = object.metadata;
  const now = timestamp();
  const warnings: string[] = [];
  const attributes: { -readonly [M in keyof AdmissionAttributes]: AdmissionAttributes[M] } = {
    definition,
    operation: 'CREATE',
    subresource: '',
    namespace,
    name: meta.name ?? '',
    requester: options.requester,
    dryRun: options.dryRun,
    warn: (text) => void warnings.push(text),
  };
  // A plugin that fills in members would split a string: 3 MB of it are 3 million members.
  if (!store.schema.fitsOutline(object)) checkSchema(store, object);
  await mutate(admission, attributes, object, undefined, options.warn);
  const duplicates = dedupeOwnerReferences(meta, true);
  if (duplicates !== undefined) options.warn(duplicates);
  const version = meta.resourceVersion;
  beginMetadata(meta, now, strategy.generation);
  if ((meta.name ?? '') === '' && (meta.generateName ?? '') !== '')
    meta.name = generateName(meta.generateName!);
  await pause();
  checkSchema(store, object);
  await pause();
  strategy.prepareForCreate?.(object, { requester: options.requester, subresource: '', now });
  await pause();
  validateNew(store, object, strategy.writeOnlyFields?.validate(sent) ?? []);
  warnings.push(...(strategy.warnings?.(object, undefined) ?? []));
  await pause();
  const { managedFieldsNeeded } = options;
  attributes.name = meta.name ?? '';
  return { attributes, object, version, now, sent, warnings, managedFieldsNeeded };
}

function refuseResourceVersion(resourceVersion: string | undefined, dryRun: boolean): void {
  if (dryRun || resourceVersion === undefined || !/^\d+$/.test(resourceVersion)) return;
  if (!/^0+$/.test(resourceVersion))
    throw badRequest('resourceVersion should not be set on objects to be created');
}

/** Strategies only get objects that match the schema. The status is not checked, as clients cannot set it in a create. */
function checkSchema(store: ResourceStore, object: KubeObject): void {
  const misfits = store.schema.check(object.status === undefined ? object : withoutStatus(object));
  if (misfits.length > 0) throw invalid(storageResource(store), object.metadata.name ?? '', misfits);
}

const withoutStatus = (object: KubeObject): KubeObject => ({ ...object, status: undefined });

/**
 * Kubernetes' own kinds report all errors, metadata first; other kinds report errors of metadata only if there are no
 * others.
 */
function validateNew(store: ResourceStore, object: KubeObject, writeOnlyErrors: readonly FieldError[]): void {
  const { definition, schema, strategy } = store;
  const misfits = schema.check(object);
  const fitting = (): FieldError[] => [
    ...(strategy.validate?.(object) ?? []),
    ...(strategy.validateCreate?.(object) ?? []),
    ...writeOnlyErrors,
  ];
  const own = misfits.length > 0 ? misfits : fitting();
  const metadata = definition.builtIn || own.length === 0 ? metadataErrors(store, object) : [];
  const errors = [...metadata, ...own];
  if (errors.length > 0) throw invalid(storageResource(store), object.metadata.name ?? '', errors);
}

function metadataErrors({ definition }: ResourceStore, { metadata }: KubeObject): FieldError[] {
  if ((metadata.name ?? '') !== '') return validateMetadataCreate(metadata, definition);
  return [fieldRequired('metadata.name', 'name or generateName is required')];
}
