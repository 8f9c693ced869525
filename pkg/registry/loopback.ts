/** What the server writes on its own account. */
import type { TrackedWriteOptions } from './generic/create.js';

/** As the user of `k8s.io/apiserver`'s loopback client, who may do everything; `fieldManager` owns the fields. */
export const loopbackOptions = (fieldManager: string): TrackedWriteOptions => ({
  requester: { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager,
});
