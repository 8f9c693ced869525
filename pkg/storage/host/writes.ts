/** One write at the host: its expectation becomes the precondition of the request. */
import type { HostAnswer, HostRequest } from '../../hostclient/interface.js';
import { StorageError, type StoredRecord, type Write } from '../interface.js';
import type { KindClient } from './kindclient.js';
import { refusal, type Asked } from './refusals.js';
import { answeredObject, changedObject, newObject, revisionOf, sameContent } from './values.js';

/** The field manager of these writes at the host. */
export const HOST_MANAGER = 'management-apiserver';
const BY_MANAGER = `?fieldManager=${HOST_MANAGER}`;
/** How often a write without an expectation is retried after conflicts. */
const ATTEMPTS = 10;

/**
 * Returns the object's revision; 0 for a delete, as the host does not report it. If the outcome is unknown,
 * the object is read. Errors: as `commit` of Storage, and StatusError for a permanent refusal of the host.
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

/** The failed expectation; undefined: all hold, and the host refuses for another reason. */
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

/** After a failure with an unknown outcome: succeeds if the host has the content that was to be written. */
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
