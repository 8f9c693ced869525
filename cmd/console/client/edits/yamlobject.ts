/** Objects that are edited as YAML: shown without secret values, and sent as a patch of the changes. */
import type { KubeObject } from '../../../../api/resource.js';
import { isObject, type Members } from '../../../../api/members.js';
import { pathIn, withQuery } from '../paths.js';
import { send } from '../request.js';

/** The placeholder of a hidden value. If the placeholder is not changed, the value is not changed. */
export const HIDDEN = '(hidden)';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** `/api/v1` or `/apis/<group>/<version>`, a namespace, a resource and a name. Each is one path segment. */
const PATH =
  /^(\/api\/v1|\/apis\/([a-z0-9.-]+)\/v[a-z0-9]+)(?:\/namespaces\/([A-Za-z0-9._-]+))?\/([a-z]+)\/([^/?#]+)$/;

export interface Place {
  /** The path as {@link pathIn} writes it. */
  readonly path: string;
  readonly group: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
}

/** Undefined if the path is not that of an object, or leaves the API. Characters of names may be escaped. */
export function placeOf(path: string): Place | undefined {
  const found = PATH.exec(path);
  if (found === null || path.split('/').some((step) => step === '.' || step === '..')) return undefined;
  const [, version = '', group = '', namespace = '', resource = '', escaped = ''] = found;
  const name = unescaped(escaped);
  if (name === undefined || name === '.' || name === '..' || /[/%]/.test(name)) return undefined;
  return { path: pathIn(version, resource, namespace, name), group, namespace, resource, name };
}

/** Undefined if the text has an invalid escape sequence, or one that is not UTF-8. */
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

/** The object without the fields that only field managers use, and with secret values hidden. */
export function shownOf(object: KubeObject): KubeObject {
  const { managedFields: _dropped, ...metadata } = object.metadata;
  if (!/Secret$/.test(object.kind)) return { ...object, metadata };
  const { annotations } = metadata;
  // The last-applied annotation of kubectl contains the values, too.
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
    ...(isObject(spec?.data) && { spec: { ...spec, data: hidden(spec.data) } }),
  };
}

const hidden = (values: Members): Members =>
  Object.fromEntries(Object.keys(values).map((name) => [name, HIDDEN]));

/** The JSON merge patch (RFC 7396) from `before` to `after`; undefined if they are equal. */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return same(before, after) ? undefined : after;
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
 * Writes the changes on the version that was shown: 409 if somebody else changed the object first. `dryRun`: only
 * returns the result. Rejects with ApiError.
 */
export function sendChange(
  { path }: Place,
  version: string | undefined,
  change: Members & { readonly metadata?: object },
  dryRun: boolean,
): Promise<KubeObject> {
  const { metadata, ...rest } = change;
  // As with kubectl, an unknown field is an error, and is not dropped.
  const query = { fieldManager: 'console', fieldValidation: 'Strict', ...(dryRun && { dryRun: 'All' }) };
  return send('PATCH', withQuery(path, query), {
    contentType: 'application/merge-patch+json',
    body: { ...rest, metadata: { ...metadata, resourceVersion: version } },
  });
}
