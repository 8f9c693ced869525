import type { LiveView } from '../../authorization/visibility.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import type { Selection } from '../../registry/generic/selectionpredicate.js';
import type { Shown } from '../../registry/visibilityfilter.js';
import type { OpenRequest } from '../revalidation/openrequest.js';

/** The parameters of a watch. */
export interface WatchPlan {
  readonly store: ResourceStore;
  /** `''`: of all. */
  readonly namespace: string;
  /** `''`, or `namespace/`. */
  readonly prefix: string;
  readonly selection: Selection;
  readonly bookmarks: boolean;
  /** Events after this revision. */
  readonly after: number;
  /** As the client wrote it, for messages. */
  readonly resourceVersion: string;
  readonly seconds: number;
  /** The visibility filter; all: it cannot change. */
  readonly view: Shown<LiveView>;
  /** Whether the watcher could still begin it; absent: nothing can take that. */
  readonly open: Pick<OpenRequest, 'isCurrent' | 'revalidate'> | undefined;
}
