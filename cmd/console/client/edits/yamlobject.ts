/** Objects as YAML that is edited: shown without values of secrets, and sent as what was changed of it. */
import type { KubeObject } from '../../../../api/resource.js';
import { isMembers, type Members } from './members.js';
import { pathIn, withQuery } from '../paths.js';
import { send } from '../request.js';

/** The placeholder of a hidden value. If the placeholder stays, so does the value. */
export const HIDDEN = '(hidden)';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** `/api/v1` or `/apis/<group>/<version>`, a namespace, a resource and a name, of which the API has each as one step. */
const PATH =
  /^(\/api\/v1|\/apis\/([a-z0-9.-]+)\/v[a-z0-9]+)(?:\/namespaces\/([A-Za-z0-9._-]+))?\/([a-z]+)\/([^/?#]+)$/;

export interface Place {
  /** As {@link pathIn} writes it. */
  readonly path: string;
  readonly group: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
}

/** Undefined where it is not the path of an object, or leads elsewhere. Characters of names may be escaped. */
export function placeOf(path: string): Place | undefined {
  const found = PATH.exec(path);
  if (found === null || path.split('/').some((step) => step === '.' || step === '..')) return undefined;
  const [, version = '', group = '', namespace = '', resource = '', escaped = ''] = found;
  const name = unescaped(escaped);
  if (name === undefined || name === '.' || name === '..' || /[/%]/.test(name)) return undefined;
  return { path: pathIn(version, resource, namespace, name), group, namespace, resource, name };
}

/** Undefined for what is no escape, or none of UTF-8. */
function unescaped(step: string): string | undefined {
  try {
    return decodeURIComponent(step);
  } catch {
    return undefined;
  }
}

interface SecretMembers {
  readonly data?: Members;
  readonly stringData?: Members;
  readonly spec?: Members;
}

/** Without the fields that only managers read, and with values of secrets hidden. */
export function shownOf(object: KubeObject): KubeObject {
  const { managedFields: _dropped, ...metadata } = object.metadata;
  if (!/Secret$/.test(object.kind)) return { ...object, metadata };
  const { annotations } = metadata;
  // kubectl's annotation of the last apply has the values, too.
  const kept: Record<string, string> =
    annotations?.[LAST_APPLIED] === undefined ? {} : { [LAST_APPLIED]: HIDDEN };
  const shown: KubeObject = {
    ...object,
    metadata:
      annotations === undefined ? metadata : { ...metadata, annotations: { ...annotations, ...kept } },
  };
  const { data, stringData, spec }: KubeObject & SecretMembers = object;
  return {
    ...shown,
    ...(data !== undefined && { data: hidden(data) }),
    ...(stringData !== undefined && { stringData: hidden(stringData) }),
    ...(isMembers(spec?.data) && { spec: { ...spec, data: hidden(spec.data) } }),
  };
}

const hidden = (values: Members): Members =>
  Object.fromEntries(Object.keys(values).map((name) => [name, HIDDEN]));

/** The JSON merge patch (RFC 7396) from `before` to `after`; undefined if they are equal. */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (!isMembers(before) || !isMembers(after)) return same(before, after) ? undefined : after;
  const changes: [string, unknown][] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!Object.hasOwn(after, name)) changes.push([name, null]);
    else if (!Object.hasOwn(before, name)) changes.push([name, after[name]]);
    else {
      const below = mergePatch(before[name], after[name]);
      if (below !== undefined) changes.push([name, below]);
    }
  }
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Writes what was changed, on the version that was shown: 409 where somebody was faster. `dryRun`: only answers what it
 * would be. Rejects with ApiError.
 */
export function sendChange(
  { path }: Place,
  version: string | undefined,
  change: Members & { readonly metadata?: object },
  dryRun: boolean,
): Promise<KubeObject> {
  const { metadata, ...rest } = change;
  // A field that the kind does not have is refused, as kubectl does, and not dropped.
  const query = { fieldManager: 'console', fieldValidation: 'Strict', ...(dryRun && { dryRun: 'All' }) };
  return send('PATCH', withQuery(path, query), {
    contentType: 'application/merge-patch+json',
    body: { ...rest, metadata: { ...metadata, resourceVersion: version } },
  });
}
