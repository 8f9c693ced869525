// One object of Loft or vCluster Platform as this server takes it. Pure; docs/from-loft.md has the rules.
const FROM = 'management.loft.sh/v1';
const TO = 'management.svc.example/v1';
/** Kinds that are converted, in the order in which they are to be applied. */
export const KINDS = ['User', 'Team', 'Project', 'SharedSecret', 'ProjectSecret'];
/** What a project's namespace may begin with there. */
const OLD_PREFIXES = ['loft-p-', 'p-'];
/** The roles of projects have the same names here, but for this. */
const OLD_ROLES = /^loft-(?=management-project-)/;
const KEPT_METADATA = ['name', 'namespace', 'labels', 'annotations'];
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const SOURCE_LABELS = ['loft.sh/sharedsecret-name', 'loft.sh/sharedsecret-namespace'];
const RENAMED_LABELS = new Map(
  SOURCE_LABELS.map((label) => [label, `management.svc.example/${label.slice(8)}`]),
);
const WHY_NOT = new Map([
  ['OwnedAccessKey', 'values of access keys cannot be moved: create new keys'],
  ['Cluster', 'connect it here: platform connect cluster'],
  ['SpaceInstance', 'create it here, or move its content'],
  ['VirtualClusterInstance', 'import it here: platform import vcluster'],
]);

/**
 * `schemas`: those of this server, by kind. `prefix`: of the namespaces of projects here. The object, or undefined where it
 * cannot be taken over, and what was left out, in words.
 */
export function convert(given, schemas, prefix) {
  const { apiVersion, kind, metadata } = given ?? {};
  const name = `${kind ?? 'object'} ${metadata?.name ?? ''}`.trim();
  if (apiVersion !== FROM)
    return { notes: [`${name}: left out: its apiVersion is ${apiVersion}, not ${FROM}`] };
  if (typeof metadata?.name !== 'string') return { notes: [`${name}: left out: it has no name`] };
  if (!KINDS.includes(kind))
    return { notes: [`${name}: left out: ${WHY_NOT.get(kind) ?? 'this server has no such objects'}`] };
  const notes = [];
  const spec = pruned(given.spec ?? {}, schemas.get(kind).properties.spec, 'spec', notes);
  if (kind === 'Project')
    for (const member of Array.isArray(spec.members) ? spec.members : [])
      if (typeof member?.clusterRole === 'string')
        member.clusterRole = member.clusterRole.replace(OLD_ROLES, '');
  // A copy of a shared secret has no data of its own here: it has those of the shared secret, as they are now.
  if (SOURCE_LABELS.every((label) => metadata.labels?.[label] !== undefined)) delete spec.data;
  const object = { apiVersion: TO, kind, metadata: metadataOf(metadata, kind, prefix), spec };
  return { object, notes: notes.map((path) => `${name}: ${path} is left out: this server does not have it`) };
}

function metadataOf(metadata, kind, prefix) {
  const kept = Object.fromEntries(
    KEPT_METADATA.filter((key) => key in metadata).map((key) => [key, metadata[key]]),
  );
  if (kind === 'ProjectSecret') kept.namespace = namespaceOf(kept.namespace, prefix);
  if (kept.labels !== undefined) kept.labels = renamed(kept.labels);
  if (kept.annotations !== undefined) {
    kept.annotations = { ...kept.annotations };
    delete kept.annotations[LAST_APPLIED];
  }
  return kept;
}

const renamed = (labels) =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [RENAMED_LABELS.get(key) ?? key, value]));

function namespaceOf(namespace = '', prefix) {
  const old = OLD_PREFIXES.find((one) => namespace.startsWith(one));
  return old === undefined ? namespace : prefix + namespace.slice(old.length);
}

/** The members that the schema has; paths of the others are added to `missing`. */
function pruned(value, schema, path, missing) {
  if (Array.isArray(value) && schema?.items !== undefined)
    return value.map((one, index) => pruned(one, schema.items, `${path}[${index}]`, missing));
  if (typeof value !== 'object' || value === null || schema?.properties === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      const at = `${path}.${key}`;
      if (Object.hasOwn(schema.properties, key))
        return [[key, pruned(member, schema.properties[key], at, missing)]];
      missing.push(at);
      return [];
    }),
  );
}
