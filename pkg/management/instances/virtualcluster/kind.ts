import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { StoredKind } from '../../../registry/registry.js';
import { withAccess } from '../../sharing/withaccess.js';
import { instanceStrategy } from '../instance.js';
import { BINDING_RECORDS } from '../kubeconfig/bindingrecord.js';
import { claimEffects } from './claim.js';

export const kind: StoredKind<typeof VirtualClusterInstance> = {
  definition: VirtualClusterInstance,
  strategy: withAccess(VirtualClusterInstance, {
    ...instanceStrategy('virtual cluster', true),
    effects: claimEffects,
  }),
  records: [BINDING_RECORDS],
};
