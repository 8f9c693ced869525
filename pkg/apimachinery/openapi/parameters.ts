/** Parameters of operations, independent of the OpenAPI version. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description: string;
  readonly type: 'string' | 'integer' | 'boolean';
}

const query = (name: string, type: Parameter['type'], description: string): Parameter => {
  return { name, in: 'query', description, type };
};

const dryRun = query(
  'dryRun',
  'string',
  'When present, indicates that modifications should not be persisted. The only valid value is All: all dry run stages will be processed.',
);

const fieldManager = query(
  'fieldManager',
  'string',
  'The name of the actor or entity that is making these changes: printable characters, at most 128.',
);

const fieldValidation = query(
  'fieldValidation',
  'string',
  'What the server does with unknown or duplicate fields. Ignore drops them silently; Warn (the default) drops them and sends a warning for each; Strict fails the request with the list of all of them.',
);

/** On every path. */
export const PRETTY: Parameter = query(
  'pretty',
  'string',
  "If 'true', then the output is indented for people.",
);

/** The name of the object, for paths of single objects. */
export function nameParameter(kind: string): Parameter {
  return { name: 'name', in: 'path', description: `Name of the ${kind}.`, type: 'string' };
}

/** For paths in a namespace. */
export const NAMESPACE: Parameter = {
  name: 'namespace',
  in: 'path',
  description: 'Namespace of the objects, such as for teams and projects.',
  type: 'string',
};

/** Of POST and PUT. */
export const WRITE_PARAMETERS: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];

/** Of PATCH. kubectl validates files only against kinds whose PATCH has `fieldValidation`. */
export const PATCH_PARAMETERS: readonly Parameter[] = [
  ...WRITE_PARAMETERS,
  query(
    'force',
    'boolean',
    "Force is going to 'force' Apply requests: fields that other managers own are taken over. Must be unset for other patches.",
  ),
];

/** Of DELETE of one object; DeleteOptions in the body are an alternative. */
export const DELETE_PARAMETERS: readonly Parameter[] = [
  dryRun,
  query(
    'gracePeriodSeconds',
    'integer',
    'The duration in seconds before the object should be deleted. Value must be a non-negative integer; zero indicates delete immediately.',
  ),
  query(
    'orphanDependents',
    'boolean',
    'Deprecated: use propagationPolicy. Whether the dependents of the object lose their owner instead of being deleted.',
  ),
  query(
    'propagationPolicy',
    'string',
    'Whether and how garbage collection will be performed: Orphan, Background or Foreground.',
  ),
];

/** Of list and watch. */
export const LIST_PARAMETERS: readonly Parameter[] = [
  query(
    'allowWatchBookmarks',
    'boolean',
    'Asks for watch events of type BOOKMARK, which tell the version that the watch has come to. Ignored if this is not a watch.',
  ),
  query(
    'continue',
    'string',
    'The continue option should be set when retrieving more results from the server: the value that the previous page gave. It expires; a 410 then says how to go on.',
  ),
  query(
    'fieldSelector',
    'string',
    'A selector to restrict the returned objects by their fields. Defaults to everything.',
  ),
  query(
    'labelSelector',
    'string',
    'A selector to restrict the returned objects by their labels. Defaults to everything.',
  ),
  query(
    'limit',
    'integer',
    'The maximum number of objects to return; if there are more, metadata.continue is set.',
  ),
  query(
    'resourceVersion',
    'string',
    'Constrains which versions may be served: unset the most recent, 0 any, otherwise not older than this one. For a watch, where it begins.',
  ),
  query(
    'resourceVersionMatch',
    'string',
    'How resourceVersion is applied to list calls: Exact or NotOlderThan.',
  ),
  query(
    'sendInitialEvents',
    'boolean',
    'Begins a watch with the objects that exist, followed by a bookmark with the annotation k8s.io/initial-events-end. Takes resourceVersionMatch=NotOlderThan.',
  ),
  query(
    'shardSelector',
    'string',
    "A selector to restrict the returned objects by hashes of their uid or namespace: shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000'), or several, joined by ||.",
  ),
  query('timeoutSeconds', 'integer', 'Time for the call, which ends a watch, however busy.'),
  query('watch', 'boolean', 'Watch for changes and return them as a stream of events. Say resourceVersion.'),
];

/** The list parameters of DELETE of a collection. */
export const DELETE_COLLECTION_PARAMETERS: readonly Parameter[] = [
  ...LIST_PARAMETERS.filter(({ name }) => !['allowWatchBookmarks', 'watch'].includes(name)),
  ...DELETE_PARAMETERS,
].sort((a, b) => (a.name < b.name ? -1 : 1));
