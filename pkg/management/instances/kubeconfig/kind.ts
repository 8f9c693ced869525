import type { ManagementServices } from '../../services.js';
import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { VirtualClusterInstanceKubeConfig } from '../../../../api/management.svc.example/v1/virtualclusterinstancekubeconfig.js';
import type { VirtualResource } from '../../../registry/virtualresource.js';
import { answerKubeConfig } from './answer.js';

/** The kubeconfig of a virtual cluster, for users who may `use` it. */
export const kind: VirtualResource<typeof VirtualClusterInstanceKubeConfig, ManagementServices> = {
  definition: VirtualClusterInstanceKubeConfig,
  below: { definition: VirtualClusterInstance, subresource: 'kubeconfig' },
  readBy: { verb: 'use' },
  answer: answerKubeConfig,
};
