/** Adoption: if a create was interrupted at another API server, the next create adopts its namespace. */
import type { KubeObject } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { MANAGED_BY, isMemberBinding } from '../sharing/managednames.js';
import { PROJECT_HELD_ANNOTATION, PROJECT_LABEL, PROJECT_UID_ANNOTATION } from './names.js';
import { HOST_MANAGER } from '../../storage/host/writes.js';
import type { Content } from '../../registry/transaction/effects.js';

/** The time after which a commit has ended, in ms. */
const COMMIT_MS = 60_000;

/**
 * The reason why a new project of this name cannot adopt a namespace; undefined: it can. This server must have
 * created it, it must have no owner, and hold no other objects that grant rights or are ours than members' bindings.
 * `now`: RFC 3339.
 */
export async function whyNotAdopted(
  { metadata }: KubeObject,
  project: string,
  now: string,
  contents: (namespace: string) => Promise<readonly Content[]>,
): Promise<string | undefined> {
  if (metadata.annotations?.[PROJECT_HELD_ANNOTATION] !== undefined)
    return `which belonged to a deleted project: an administrator may delete the namespace, or remove its annotation ${PROJECT_HELD_ANNOTATION} to give it to this project`;
  if (!isLeftOver(metadata, project)) return "which is not the project's";
  if (metadata.deletionTimestamp !== undefined) return 'which is being deleted';
  if (!(Date.parse(now) - Date.parse(metadata.creationTimestamp ?? '') >= COMMIT_MS))
    return 'which was made a moment ago for a project of this name: try again in a minute';
  const found = (await contents(metadata.name ?? '')).find((one) => !isGrant(one));
  if (found === undefined) return undefined;
  return `which holds ${found.definition.plural} "${found.object.metadata.name}"`;
}

/**
 * Whether this server created the namespace for a project that does not exist: only then has it a uid that this
 * server wrote.
 */
function isLeftOver(metadata: KubeObject['metadata'], project: string): boolean {
  const { labels = {}, annotations = {}, ownerReferences = [], managedFields = [] } = metadata;
  if (labels[PROJECT_LABEL] !== project || annotations[PROJECT_UID_ANNOTATION] === undefined) return false;
  return (
    ownerReferences.length === 0 &&
    managedFields.some(({ manager, fieldsV1 }) => manager === HOST_MANAGER && setsUid(fieldsV1))
  );
}

const setsUid = (fields: unknown): boolean =>
  membersOf(membersOf(membersOf(fields)['f:metadata'])['f:annotations'])[`f:${PROJECT_UID_ANNOTATION}`] !==
  undefined;

const isGrant = ({ definition, object: { metadata } }: Content): boolean =>
  definition.plural === 'rolebindings' &&
  isMemberBinding(metadata.name ?? '') &&
  metadata.labels?.[MANAGED_BY.label] === MANAGED_BY.value;
