/** One write at the host: what it expects there becomes the condition of the request. */
import type { HostAnswer, HostRequest } from '../../hostclient/interface.js';
import type { StoredRecord, Write } from '../interface.js';
import { StorageError } from '../interface.js';
import type { KindClient } from './kindclient.js';
import type { Asked } from './refusals.js';
import { refusal } from './refusals.js';
import { answeredObject, changedObject, newObject, revisionOf, sameContent } from './values.js';

/** Who owns the fields that are written, as the host tracks it. */
export const HOST_MANAGER = 'management-apiserver';
const BY_MANAGER = `?fieldManager=${HOST_MANAGER}`;
/** How often others may come first where the write does not say what it expects. */
const ATTEMPTS = 10;

/**
 * Answers the object's revision; of a delete 0, as the host does not tell it. A write whose outcome is not known is
 * looked for. Errors: as `commit` of Storage, and StatusError where the host refuses.
 */
export async function writeObject(kind: KindClient, write: Write): Promise<number> {
  const { key, expect } = write;
  if (typeof expect === 'number' || (expect === 'absent' && write.value !== undefined))
    return writeExpecting(kind, write, expect);
  for (let attempt = 1; ; attempt += 1) {
    const current = await kind.get(key);
    if (expect === 'absent') {
      if (current === undefined) return 0;
      throw new StorageError({ code: 'exists', key, current });
    }
    const missing = current === undefined && (expect === 'present' || write.value === undefined);
    if (missing) throw new StorageError({ code: 'not found', key });
    try {
      return await writeExpecting(kind, write, current?.revision ?? 'absent');
    } catch (error) {
      const lost = error instanceof StorageError && error.failure.code !== 'unavailable';
      if (!lost || attempt === ATTEMPTS) throw error;
    }
  }
}

async function writeExpecting(
  kind: KindClient,
  { key, value }: Write,
  expect: number | 'absent',
): Promise<number> {
  let answer: HostAnswer;
  try {
    answer = await kind.send(requestFor(kind, key, value, expect));
  } catch (error) {
    return settle(kind, key, value, error);
  }
  const { status, body } = answer;
  if (status === 200 || status === 201 || status === 202)
    return value === undefined ? 0 : revisionOf(answeredObject(body, 'unknown'));
  const asked: Asked = {
    verb: value === undefined ? 'delete' : expect === 'absent' ? 'create' : 'update',
    definition: kind.definition,
    path: kind.paths.shown(key),
  };
  const refused = refusal(asked, answer);
  if (status === 404 && expect !== 'absent') throw new StorageError({ code: 'not found', key });
  if (status === 409) throw failed(key, expect, await kind.get(key)) ?? refused;
  if (refused instanceof StorageError && refused.failure.code === 'unavailable' && status >= 500)
    return settle(kind, key, value, refused);
  throw refused;
}

function requestFor(
  { paths }: KindClient,
  key: string,
  value: Buffer | undefined,
  expect: number | 'absent',
): HostRequest {
  if (value !== undefined) {
    if (expect === 'absent')
      return { method: 'POST', path: paths.collection(key) + BY_MANAGER, body: newObject(value) };
    return { method: 'PUT', path: paths.object(key) + BY_MANAGER, body: changedObject(value, expect) };
  }
  const preconditions = { resourceVersion: String(expect) };
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions, propagationPolicy: 'Background' };
  return { method: 'DELETE', path: paths.object(key), body };
}

/** Undefined: what is there is as expected, and the host refuses for another reason. */
function failed(
  key: string,
  expect: number | 'absent',
  current: StoredRecord | undefined,
): StorageError | undefined {
  if (expect === 'absent')
    return current === undefined ? undefined : new StorageError({ code: 'exists', key, current });
  if (current === undefined) return new StorageError({ code: 'not found', key });
  if (current.revision === expect) return undefined;
  return new StorageError({ code: 'conflict', key, current });
}

/** After a failure that may have been none: success where the host has what was to be there. */
async function settle(
  kind: KindClient,
  key: string,
  value: Buffer | undefined,
  error: unknown,
): Promise<number> {
  const { failure } = error instanceof StorageError ? error : {};
  if (failure?.code !== 'unavailable' || failure.outcome !== 'unknown') throw error;
  const current = await kind.get(key).catch(() => {
    throw error;
  });
  if (value === undefined) {
    if (current === undefined) return 0;
  } else if (current !== undefined && sameContent(current.value, value)) {
    return current.revision;
  }
  throw error;
}
