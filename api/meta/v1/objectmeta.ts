/** The schema of `metadata`, the same for every kind. Texts and list rules are those of `k8s.io/apimachinery`. */
import { Type } from '../../type.js';
import { freeForm, stringMap, time } from './schema.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

export const ownerReferenceSchema = Type.Object(
  {
    apiVersion: Type.String({ description: 'API version of the referent.', default: '' }),
    kind: Type.String({ description: 'Kind of the referent.', default: '' }),
    name: Type.String({ description: 'Name of the referent.', default: '' }),
    uid: Type.String({ description: 'UID of the referent.', default: '' }),
    controller: Type.Optional(
      Type.Boolean({
        description: 'If true, this reference points to the managing controller.',
        'x-keep-empty': true,
      }),
    ),
    blockOwnerDeletion: Type.Optional(
      Type.Boolean({
        description:
          'If true, AND if the owner has the "foregroundDeletion" finalizer, then the owner cannot be deleted from the key-value store until this reference is removed. Defaults to false. To set this field, a user needs "delete" permission of the owner, otherwise 422 (Unprocessable Entity) will be returned.',
        'x-keep-empty': true,
      }),
    ),
  },
  {
    description:
      'OwnerReference contains enough information to let you identify an owning object. An owning object must be in the same namespace as the dependent, or be cluster-scoped, so there is no namespace field.',
    'x-component': `${META}.OwnerReference`,
    'x-protobuf': { kind: 1, name: 3, uid: 4, apiVersion: 5, controller: 6, blockOwnerDeletion: 7 },
    'x-kubernetes-map-type': 'atomic',
  },
);

const text = (description: string) => Type.Optional(Type.String({ description }));

export const managedFieldsEntrySchema = Type.Object(
  {
    manager: text('Manager is an identifier of the workflow managing these fields.'),
    operation: text(
      "Operation is the type of operation which lead to this ManagedFieldsEntry being created. The only valid values for this field are 'Apply' and 'Update'.",
    ),
    apiVersion: text(
      'APIVersion defines the version of this resource that this field set applies to. The format is "group/version" just like the top-level APIVersion field.',
    ),
    time: Type.Optional(
      time({
        description:
          'Time is the timestamp of when the ManagedFields entry was added. The timestamp will also be updated if a field is added, the manager changes any of the owned fields value or removes a field. The timestamp does not update when a field is removed from the entry because another manager took it over.',
      }),
    ),
    fieldsType: text(
      'FieldsType is the discriminator for the different fields format and version. There is currently only one possible value: "FieldsV1"',
    ),
    fieldsV1: Type.Optional(
      freeForm({
        description:
          'FieldsV1 holds the first JSON version format as described in the "FieldsV1" type: a trie whose member names are f:<name>, v:<value>, k:<keys> or i:<index>; "." stands for the field itself.',
        'x-component': `${META}.FieldsV1`,
      }),
    ),
    subresource: text(
      'Subresource is the name of the subresource used to update that object, or empty string if the object was updated through the main resource. The value of this field is used to distinguish between managers, even if they share the same name.',
    ),
  },
  {
    description:
      'ManagedFieldsEntry is a workflow-id, a FieldSet and the group version of the resource that the fieldset applies to.',
    'x-component': `${META}.ManagedFieldsEntry`,
    'x-protobuf': {
      manager: 1,
      operation: 2,
      apiVersion: 3,
      time: 4,
      fieldsType: 6,
      fieldsV1: 7,
      subresource: 8,
    },
  },
);

const serverTime = (description: string) => Type.Optional(time({ description }));
const int64 = (description: string) => Type.Optional(Type.Integer({ format: 'int64', description }));

export const objectMetaSchema = Type.Object(
  {
    name: text(
      'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Cannot be updated.',
    ),
    generateName: text(
      'GenerateName is an optional prefix, used by the server, to generate a unique name ONLY IF the Name field has not been provided. If this field is used, the name returned to the client will be different than the name passed. If the generated name exists, the server will return a 409.',
    ),
    namespace: text(
      'Namespace defines the space within which each name must be unique. Not all objects are required to be scoped to a namespace - the value of this field for those objects will be empty. Must be a DNS_LABEL. Cannot be updated.',
    ),
    selfLink: text(
      'Deprecated: selfLink is a legacy read-only field that is no longer populated by the system.',
    ),
    uid: text(
      'UID is the unique in time and space value for this object. It is typically generated by the server on successful creation of a resource and is not allowed to change on PUT operations. Populated by the system. Read-only.',
    ),
    resourceVersion: text(
      'An opaque value that represents the internal version of this object that can be used by clients to determine when objects have changed. May be used for optimistic concurrency, change detection, and the watch operation on a resource or set of resources. Clients must treat these values as opaque and passed unmodified back to the server. Populated by the system. Read-only.',
    ),
    generation: int64(
      'A sequence number representing a specific generation of the desired state. Populated by the system. Read-only.',
    ),
    creationTimestamp: serverTime(
      'CreationTimestamp is a timestamp representing the server time when this object was created. Clients may not set this value. It is represented in RFC3339 form and is in UTC. Populated by the system. Read-only. Null for lists.',
    ),
    deletionTimestamp: serverTime(
      'DeletionTimestamp is RFC 3339 date and time at which this resource will be deleted. This field is set by the server when a graceful deletion is requested by the user, and is not directly settable by a client. Once set, it may not be unset or be set further into the future, although it may be shortened. Populated by the system when a graceful deletion is requested. Read-only.',
    ),
    deletionGracePeriodSeconds: Type.Optional(
      Type.Integer({
        format: 'int64',
        description:
          'Number of seconds allowed for this object to gracefully terminate before it will be removed from the system. Only set when deletionTimestamp is also set. May only be shortened. Read-only.',
        'x-keep-empty': true,
      }),
    ),
    labels: Type.Optional(
      stringMap({
        description:
          'Map of string keys and values that can be used to organize and categorize (scope and select) objects.',
      }),
    ),
    annotations: Type.Optional(
      stringMap({
        description:
          'Annotations is an unstructured key value map stored with a resource that may be set by external tools to store and retrieve arbitrary metadata. They are not queryable and should be preserved when modifying objects.',
      }),
    ),
    ownerReferences: Type.Optional(
      Type.Array(ownerReferenceSchema, {
        description:
          'List of objects depended by this object. If ALL objects in the list have been deleted, this object will be garbage collected. There cannot be more than one managing controller.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['uid'],
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'uid',
      }),
    ),
    finalizers: Type.Optional(
      Type.Array(Type.String({ description: 'Identifier of the responsible component.' }), {
        description:
          'Must be empty before the object is deleted from the registry. Each entry is an identifier for the responsible component that will remove the entry from the list. If the deletionTimestamp of the object is non-nil, entries in this list can only be removed. Finalizers may be processed and removed in any order.',
        'x-kubernetes-list-type': 'set',
        'x-kubernetes-patch-strategy': 'merge',
      }),
    ),
    managedFields: Type.Optional(
      Type.Array(managedFieldsEntrySchema, {
        description:
          "ManagedFields maps workflow-id and version to the set of fields that are managed by that workflow. This is mostly for internal housekeeping, and users typically shouldn't need to set or understand this field.",
        'x-kubernetes-list-type': 'atomic',
        'x-keep-empty': true,
      }),
    ),
  },
  {
    description:
      'ObjectMeta is metadata that all persisted resources must have, which includes all objects users must create.',
    'x-component': `${META}.ObjectMeta`,
    'x-protobuf': {
      name: 1,
      generateName: 2,
      namespace: 3,
      selfLink: 4,
      uid: 5,
      resourceVersion: 6,
      generation: 7,
      creationTimestamp: 8,
      deletionTimestamp: 9,
      deletionGracePeriodSeconds: 10,
      labels: 11,
      annotations: 12,
      ownerReferences: 13,
      finalizers: 14,
      managedFields: 17,
    },
  },
);
