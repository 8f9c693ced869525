/** Lists of a kind, in pages at one revision. */
import type { KubeObject } from '../../../api/resource.js';
import { compareBytes } from '../../apimachinery/encoding/canonical.js';
import { isObject, textIn } from '../../apimachinery/encoding/members.js';
import {
  StorageError,
  type KeyRange,
  type ScanOptions,
  type ScanResult,
  type StoredRecord,
} from '../interface.js';
import type { KindClient } from './kindclient.js';
import { refusal } from './refusals.js';
import { recordOf } from './values.js';

const PAGE = 500;

interface ListBody {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly KubeObject[];
}

/** Returns the whole range, whatever `limit` says. Errors: as `scan`, and StatusError as `refusal`. */
export async function scanKind(
  kind: KindClient,
  { start, end }: KeyRange,
  { revision }: ScanOptions,
): Promise<ScanResult> {
  const { definition, paths } = kind;
  const records: StoredRecord[] = [];
  let query: Record<string, string> = { limit: String(PAGE) };
  if (revision !== undefined)
    query = { ...query, resourceVersion: String(revision), resourceVersionMatch: 'Exact' };
  for (;;) {
    const page = await listPage(kind, query, revision);
    for (const item of page.items) {
      const record = recordOf(definition, paths, item);
      if (compareBytes(record.key, start) >= 0 && compareBytes(record.key, end) < 0) records.push(record);
    }
    const { continue: next = '', resourceVersion } = page.metadata;
    if (next === '') return { revision: revision ?? Number(resourceVersion), records, more: false };
    query = { limit: String(PAGE), continue: next };
  }
}

/** The revision of the whole host, from a list of one object. */
export async function hostRevision(kind: KindClient): Promise<number> {
  return Number((await listPage(kind, { limit: '1' }, undefined)).metadata.resourceVersion);
}

async function listPage(
  kind: KindClient,
  query: Readonly<Record<string, string>>,
  revision: number | undefined,
): Promise<ListBody> {
  const path = `${kind.paths.all}?${new URLSearchParams(query).toString()}`;
  const answer = await kind.send({ method: 'GET', path });
  if (answer.status === 200 && isListBody(answer.body)) return answer.body;
  if (answer.status === 410) throw forgotten(revision ?? 0);
  throw refusal({ verb: 'list', definition: kind.definition, path: '' }, answer);
}

/** The items come from an API server, and are not checked individually. */
const isListBody = (body: unknown): body is ListBody =>
  isObject(body) && Array.isArray(body.items) && textIn(body.metadata, 'resourceVersion') !== undefined;

/** The host does not report its oldest revision: everything must be read again. */
export const forgotten = (revision: number): StorageError =>
  new StorageError({ code: 'compacted', revision, oldest: revision + 1 });
