/** Writes of the server itself. */
import type { TrackedWriteOptions } from './generic/create.js';

/** Writes as the loopback user of `k8s.io/apiserver`, who has all rights; `fieldManager` manages the fields. */
export const loopbackOptions = (fieldManager: string): TrackedWriteOptions => ({
  requester: { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager,
});
