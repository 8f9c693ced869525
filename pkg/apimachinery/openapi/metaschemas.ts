/**
 * Component schemas that all documents share, by full name (`k8s.io/apimachinery/pkg/apis/meta/v1`). Parts of objects
 * (ObjectMeta) are declared in `api/meta`; these are the parts of requests and responses.
 */
import { conditionSchema } from '../../../api/meta/v1/condition.js';
import {
  managedFieldsEntrySchema,
  objectMetaSchema,
  ownerReferenceSchema,
} from '../../../api/meta/v1/objectmeta.js';
import { MICRO_TIME, TIME } from '../../../api/meta/v1/schema.js';

const meta = (kind: string): string => `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`;

/** Full names of the shared components that documents refer to. */
export const OBJECT_META = meta('ObjectMeta');
export const LIST_META = meta('ListMeta');
export const STATUS = meta('Status');
export const DELETE_OPTIONS = meta('DeleteOptions');
export const PATCH = meta('Patch');
export const WATCH_EVENT = meta('WatchEvent');

const string = (description: string) => ({ type: 'string', description });
const integer = (description: string, format: 'int32' | 'int64') => ({
  type: 'integer',
  format,
  description,
});
const boolean = (description: string) => ({ type: 'boolean', description });
const use = (name: string, description: string) => ({ 'x-component': meta(name), description });
const gvk = (kind: string) => [{ group: '', kind, version: 'v1' }];

/** `kind` and `apiVersion`, the same on every object, list and option. */
export const TYPE_META = {
  apiVersion: string(
    'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values.',
  ),
  kind: string(
    'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase.',
  ),
} as const;

const shardInfo = {
  type: 'object',
  description: 'ShardInfo describes the shard selector by which a list was restricted.',
  required: ['selector'],
  properties: { selector: string('The shard selector of the request.') },
};

const listMeta = {
  type: 'object',
  description: 'ListMeta describes metadata that lists have; objects have ObjectMeta.',
  properties: {
    continue: string(
      'Continue is set if the user set a limit on the number of items returned, and indicates that the server has more data available. The value is opaque and may be used to issue another request to the endpoint that served this list to retrieve the next set of available objects.',
    ),
    remainingItemCount: integer(
      'RemainingItemCount is the number of subsequent items in the list which are not included in this list response. Unset when the request had label or field selectors.',
      'int64',
    ),
    resourceVersion: string(
      'ResourceVersion identifies the version of the list, from which a watch can go on. Opaque to clients. Read-only.',
    ),
    shardInfo: use('ShardInfo', 'ShardInfo is set if the list is restricted by a shard selector.'),
    selfLink: string(
      'Deprecated: selfLink is a legacy read-only field that is no longer populated by the system.',
    ),
  },
};

const preconditions = {
  type: 'object',
  description: 'Preconditions must be fulfilled before an operation (update, delete, etc.) is carried out.',
  properties: {
    resourceVersion: string('Specifies the target ResourceVersion.'),
    uid: string('Specifies the target UID.'),
  },
};

const deleteOptions = {
  type: 'object',
  description: 'DeleteOptions may be provided when deleting an API object.',
  properties: {
    ...TYPE_META,
    dryRun: {
      type: 'array',
      description:
        'When present, indicates that modifications should not be persisted. The only valid value is All: all dry run stages will be processed.',
      items: { type: 'string', description: 'A stage of the dry run.' },
      'x-kubernetes-list-type': 'atomic',
    },
    gracePeriodSeconds: integer(
      'The duration in seconds before the object should be deleted. Value must be a non-negative integer; zero indicates delete immediately.',
      'int64',
    ),
    orphanDependents: boolean(
      'Deprecated: use propagationPolicy. Whether the dependents of the object lose their owner instead of being deleted. Either this field or propagationPolicy may be set, but not both.',
    ),
    preconditions: use(
      'Preconditions',
      'Must be fulfilled before a deletion is carried out; otherwise 409 is returned.',
    ),
    propagationPolicy: string(
      "Whether and how garbage collection will be performed: 'Orphan' lets go of the dependents, 'Background' lets the garbage collector delete them, 'Foreground' deletes them before the object. Either this field or orphanDependents may be set, but not both.",
    ),
  },
  'x-kubernetes-group-version-kind': gvk('DeleteOptions'),
};

const statusCause = {
  type: 'object',
  description:
    'StatusCause provides more information about an api.Status failure, including multiple errors.',
  properties: {
    field: string(
      'The field of the resource that has caused this error, as named by its JSON serialization.',
    ),
    message: string('A human-readable description of the cause of the error.'),
    reason: string('A machine-readable description of the cause of the error. Empty when it is not known.'),
  },
};

const statusDetails = {
  type: 'object',
  description:
    'StatusDetails is a set of additional properties that MAY be set by the server to provide additional information about a response.',
  properties: {
    causes: {
      type: 'array',
      description: 'The Causes array includes more details associated with the StatusReason failure.',
      items: { ...statusCause, 'x-component': meta('StatusCause') },
      'x-kubernetes-list-type': 'atomic',
    },
    group: string('The group attribute of the resource associated with the status StatusReason.'),
    kind: string('The kind attribute of the resource associated with the status StatusReason.'),
    name: string('The name attribute of the resource associated with the status StatusReason.'),
    retryAfterSeconds: integer('The time in seconds before the operation should be retried.', 'int32'),
    uid: string('UID of the resource, where a single resource can be described.'),
  },
};

const status = {
  type: 'object',
  description: "Status is a return value for calls that don't return other objects.",
  properties: {
    ...TYPE_META,
    code: integer('Suggested HTTP return code for this status, 0 if not set.', 'int32'),
    details: use(
      'StatusDetails',
      'Extended data associated with the reason, each kind of reason has its own.',
    ),
    message: string('A human-readable description of the status of this operation.'),
    metadata: use('ListMeta', 'Standard list metadata.'),
    reason: string(
      'A machine-readable description of why this operation is in the "Failure" status. A Reason clarifies an HTTP status code but does not override it.',
    ),
    status: string('Status of the operation. One of: "Success" or "Failure".'),
  },
  'x-kubernetes-group-version-kind': gvk('Status'),
};

const rawExtension = {
  type: 'object',
  description: 'Any object of the API.',
  'x-kubernetes-preserve-unknown-fields': true,
};

const watchEvent = {
  type: 'object',
  description: 'Event represents a single event to a watched resource.',
  required: ['type', 'object'],
  properties: {
    object: {
      'x-component': 'io.k8s.apimachinery.pkg.runtime.RawExtension',
      description:
        'The new state of the object if type is ADDED or MODIFIED, its state immediately before deletion if type is DELETED, an object with only a resourceVersion if type is BOOKMARK, a Status if type is ERROR.',
    },
    type: string('ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.'),
  },
  'x-kubernetes-group-version-kind': gvk('WatchEvent'),
};

/** All shared components, by full name; documents contain those that they refer to. */
export const META_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  [OBJECT_META]: { ...objectMetaSchema },
  [meta('OwnerReference')]: { ...ownerReferenceSchema },
  [meta('ManagedFieldsEntry')]: { ...managedFieldsEntrySchema },
  [meta('FieldsV1')]: {
    type: 'object',
    description:
      'FieldsV1 stores a set of fields as a trie: each member is f:<name>, v:<value>, k:<keys> or i:<index>, and "." stands for the field itself.',
  },
  [meta('Condition')]: { ...conditionSchema },
  [TIME]: {
    type: 'string',
    format: 'date-time',
    description: 'A time as RFC 3339 writes it, in whole seconds.',
  },
  [MICRO_TIME]: {
    type: 'string',
    format: 'date-time',
    description: 'A time as RFC 3339 writes it, with microseconds.',
  },
  [LIST_META]: listMeta,
  [meta('ShardInfo')]: shardInfo,
  [meta('Preconditions')]: preconditions,
  [DELETE_OPTIONS]: deleteOptions,
  [meta('StatusCause')]: statusCause,
  [meta('StatusDetails')]: statusDetails,
  [STATUS]: status,
  [PATCH]: {
    type: 'object',
    description:
      'Patch gives the changes to make; the media type of the request says how. JSON patches are arrays of operations.',
  },
  [WATCH_EVENT]: watchEvent,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': rawExtension,
};
export type JsonSchema = Readonly<Record<string, unknown>>;
