/** Messages of `meta/v1` that no kind's schema declares (`k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto`). */
import { objectMetaMessage } from './fromschema.js';
import { message, type Message } from './message.js';

const shardInfo = message({ selector: [1, 'string'] });

export const listMeta = message({
  selfLink: [1, 'string'],
  resourceVersion: [2, 'string'],
  continue: [3, 'string'],
  remainingItemCount: [4, 'int64', 'pointer'],
  shardInfo: [5, shardInfo, 'pointer'],
});

/** The message of every list. */
export const listOf = (item: Message): Message =>
  message({ metadata: [1, listMeta], items: [2, item, 'list'] });

export const partialObjectMetadata = (): Message => message({ metadata: [1, objectMetaMessage()] });

const statusCause = message({ reason: [1, 'string'], message: [2, 'string'], field: [3, 'string'] });

export const status = message({
  metadata: [1, listMeta],
  status: [2, 'string'],
  message: [3, 'string'],
  reason: [4, 'string'],
  details: [
    5,
    message({
      name: [1, 'string'],
      group: [2, 'string'],
      kind: [3, 'string'],
      causes: [4, statusCause, 'list'],
      retryAfterSeconds: [5, 'int32'],
      uid: [6, 'string'],
    }),
    'pointer',
  ],
  code: [6, 'int32'],
});

export const deleteOptions = message({
  gracePeriodSeconds: [1, 'int64', 'pointer'],
  preconditions: [
    2,
    message({ uid: [1, 'string', 'pointer'], resourceVersion: [2, 'string', 'pointer'] }),
    'pointer',
  ],
  orphanDependents: [3, 'bool', 'pointer'],
  propagationPolicy: [4, 'string', 'pointer'],
  dryRun: [5, 'string', 'list'],
  ignoreStoreReadErrorWithClusterBreakingPotential: [6, 'bool', 'pointer'],
});
