/** Asks whether the user may list, so that lists in the background are not refused. */
import { may } from '../client/reviews.js';
import { ApiError } from '../client/status.js';

/** The path of a list, with or without a query: version, group, namespace, resource. */
const PATH =
  /^(?:\/api\/v1|\/apis\/([a-z0-9.-]+)\/v[a-z0-9]+)(?:\/namespaces\/([A-Za-z0-9._-]+))?\/([a-z]+)(?:\?|$)/;

/**
 * Lists of the management API have what the user may see, which no access review tells: the list itself is the answer. One
 * object is in its list if the user may get it. Rejects with ApiError. Where the user may not ask, the list itself is the answer, too.
 */
export async function mayList(path: string, signal: AbortSignal): Promise<boolean> {
  const [whole, group = '', namespace = '', resource = ''] = PATH.exec(path) ?? [];
  const name = nameIn(path);
  const isOwn = group === 'management.svc.example';
  if (whole === undefined || (isOwn && name === '')) return true;
  try {
    return await may({ verb: isOwn ? 'get' : 'list', group, resource, namespace, name }, signal);
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return true;
    throw error;
  }
}

/** Whether a list is of one object that somebody has opened: a refusal of it is worth a record. */
export const isOfOne = (path: string): boolean => nameIn(path) !== '';

function nameIn(path: string): string {
  const selector = new URL(path, 'https://x').searchParams.get('fieldSelector') ?? '';
  return /^metadata\.name=([^,]+)$/.exec(selector)?.[1] ?? '';
}

/** As the server would refuse the list. */
export const refusedList = (): ApiError => new ApiError(403, { reason: 'Forbidden', message: '' });
