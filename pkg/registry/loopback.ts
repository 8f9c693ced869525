/** Writes of the server itself. */
import type { TrackedWriteOptions } from './generic/create.js';
import { LOOPBACK_USER } from './requester.js';

/** Writes as the loopback user of `k8s.io/apiserver`, who has all rights; `fieldManager` manages the fields. */
export const loopbackOptions = (fieldManager: string): TrackedWriteOptions => ({
  requester: { name: LOOPBACK_USER, uid: '', groups: ['system:masters'], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager,
});
