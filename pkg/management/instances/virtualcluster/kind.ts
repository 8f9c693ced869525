import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { StoredKind } from '../../../registry/registry.js';
import { BINDING_RECORDS } from '../kubeconfig/bindingrecord.js';
import { withAccess } from '../../sharing/withaccess.js';
import { virtualClusterInstanceStrategy } from './strategy.js';

export const kind: StoredKind<typeof VirtualClusterInstance> = {
  definition: VirtualClusterInstance,
  strategy: withAccess(VirtualClusterInstance, virtualClusterInstanceStrategy),
  records: [BINDING_RECORDS],
};
