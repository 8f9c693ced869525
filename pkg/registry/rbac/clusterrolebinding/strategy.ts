import { bindingStrategy } from '../bindings.js';

/** ClusterRoleBindings grant a ClusterRole in all namespaces. */
export const clusterRoleBindingStrategy = bindingStrategy(['ClusterRole'], false, 'clusterRoleBinding');
