/** The entries of a LIST: revision, range, selectors, page. Reads from snapshots. */
import { expired, badRequest, futureRevision } from '../../apimachinery/errors.js';
import { decodeContinue, encodeContinue } from '../../apimachinery/continue.js';
import type { ListOptions } from '../../apimachinery/options/list.js';
import { parseResourceVersion } from '../../apimachinery/options/resourceversion.js';
import { CacheUnavailable, type Entry, type EntryRange, type Snapshot } from '../../cache/interface.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { ReadRevision } from '../../cache/watch/consistent.js';
import { FIRST_REVISION } from '../../storage/interface.js';
import { CACHE_LATE, REACH_TIMEOUT, currentSnapshot, snapshotFor } from './get.js';
import type { ResourceStore } from '../resourcestore.js';
import { scanRange, type ScanRange } from './scanrange.js';
import type { Selection } from './selectionpredicate.js';
import { EVERYTHING, type Shown, type VisibilityFilter, type View } from '../visibilityfilter.js';

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** One page, at one revision. */
export interface Page {
  readonly revision: number;
  readonly entries: Iterable<Entry>;
  /** Set after `entries` was iterated to its end. */
  readonly rest: () => PageMeta;
}

/** What `metadata` of a list has besides the revision. */
export interface PageMeta {
  readonly continue?: string;
  readonly remainingItemCount?: number;
  /** The objects are those of a shard selector. */
  readonly shardInfo?: { readonly selector: string };
}

/** The parameters of a list, and the caller's view. */
export interface ListRequest {
  /** `''`: of all namespaces. */
  readonly namespace: string;
  readonly options: ListOptions;
  readonly selection: Selection;
  readonly view: Shown<View>;
}

/** `revision`: the revision of the request. Throws StatusError: 400, 410, 500 ServerTimeout, 504. */
export async function listObjects(
  store: ResourceStore,
  { namespace, options, selection, view }: ListRequest,
  revision = new ReadRevision(store.newestRevision),
): Promise<Page> {
  const token = options.continue === '' ? undefined : decodeContinue(options.continue);
  if (token !== undefined && options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const snapshot = await snapshotOf(store, options, token, view, revision);
  const shown = 'filter' in view ? view.filter.current() : EVERYTHING;
  const limit = options.resourceVersion === '0' && token === undefined ? 0 : options.limit;
  const whole = scanRange(snapshot, namespace, selection, store.definition.namespaced);
  const start = token?.start;
  if ('filter' in shown)
    return pageOf(
      snapshot,
      await visibleRange(whole, snapshot, shown.filter, selection),
      start,
      limit,
      selection,
    );
  const found = selection.all ? whole : { ...whole, range: await matching(whole, start, limit, selection) };
  return pageOf(snapshot, found, start, limit, selection);
}

async function snapshotOf(
  store: ResourceStore,
  options: ListOptions,
  token: { revision: number; start: string } | undefined,
  view: Shown<View>,
  revision: ReadRevision,
): Promise<Snapshot> {
  const { resourceVersion, resourceVersionMatch, limit } = options;
  if (token !== undefined) {
    if (token.revision < 0) return newest(store, revision);
    const pinned = await exact(store, token.revision, String(token.revision));
    if (pinned !== undefined && unchangedSince(view, token.revision)) return pinned;
    const answer = expired(CONTINUE_EXPIRED);
    answer.status.metadata.continue = encodeContinue({ revision: -1, start: token.start });
    throw answer;
  }
  if (resourceVersion === '') return newest(store, revision);
  const wanted = versionOf(resourceVersion);
  const pinned = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0 && wanted > 0);
  if (!pinned) return snapshotFor(store, resourceVersion);
  const snapshot = await exact(store, wanted, resourceVersion);
  if (snapshot === undefined || !unchangedSince(view, wanted))
    throw expired('The resourceVersion for the provided list is too old.');
  return snapshot;
}

const unchangedSince = (view: Shown<View>, revision: number): boolean =>
  !('filter' in view) || view.filter.unchangedSince(revision);

async function newest(store: ResourceStore, revision: ReadRevision): Promise<Snapshot> {
  const snapshot = await currentSnapshot(store, revision);
  if (snapshot !== undefined) return snapshot;
  throw new CacheUnavailable(CACHE_LATE);
}

/** The snapshot at exactly this revision; undefined if it is compacted. */
async function exact(store: ResourceStore, revision: number, text: string): Promise<Snapshot | undefined> {
  if (revision < FIRST_REVISION) return undefined;
  if (!(await store.cache.reach(revision, REACH_TIMEOUT))) {
    throw futureRevision(text, store.cache.latest().revision, 1);
  }
  return store.cache.at(revision);
}

function versionOf(text: string): number {
  try {
    return parseResourceVersion(text);
  } catch (error) {
    throw badRequest(`invalid resource version: ${error instanceof Error ? error.message : text}`);
  }
}

/** The entries of a page. Some selectors parse each object, so this takes several turns. */
async function matching(
  { range, prefix }: ScanRange,
  start: string | undefined,
  limit: number,
  selection: Selection,
): Promise<EntryRange> {
  const pause = slices();
  const found: Entry[] = [];
  for (const entry of range.entries(prefix, start)) {
    await pause();
    if (selection.matches(entry) && found.push(entry) === limit) break;
  }
  return rangeOf(found);
}

function pageOf(
  snapshot: Snapshot,
  { range, whole, prefix }: ScanRange,
  start: string | undefined,
  limit: number,
  selection: Selection,
): Page {
  const shards = selection.shards !== undefined && { shardInfo: { selector: selection.shards } };
  let rest: PageMeta = { ...shards };
  function* entries(): Generator<Entry> {
    let taken = 0;
    for (const entry of range.entries(prefix, start)) {
      yield entry;
      taken += 1;
      if (taken !== limit) continue;
      const next = `${entry.path}\u0000`;
      const left = whole.count(prefix, next);
      if (left === 0) return;
      rest = {
        continue: encodeContinue({ revision: snapshot.revision, start: next }),
        ...(selection.all && { remainingItemCount: left }),
        ...shards,
      };
      return;
    }
  }
  return { revision: snapshot.revision, entries: entries(), rest: () => rest };
}

/**
 * Restricts a range to the visible entries. A page continues only if another visible entry matches, so the response
 * does not reveal whether hidden ones exist.
 */
async function visibleRange(
  { prefix }: ScanRange,
  snapshot: Snapshot,
  filter: VisibilityFilter,
  selection: Selection,
): Promise<ScanRange> {
  const visible = filter.in(snapshot, prefix);
  const whole = { range: visible, whole: visible, prefix };
  const range = selection.all ? visible : await matching(whole, undefined, 0, selection);
  return { range, whole: range, prefix };
}

/** All of them under the prefix that is asked for. */
function rangeOf(entries: readonly Entry[]): EntryRange {
  const from = (start: string | undefined): readonly Entry[] =>
    start === undefined ? entries : entries.filter(({ path }) => path >= start);
  return { entries: (_prefix, start) => from(start), count: (_prefix, start) => from(start).length };
}
