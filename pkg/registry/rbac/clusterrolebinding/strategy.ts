import { bindingStrategy } from '../bindings.js';

/** ClusterRoleBindings grant a ClusterRole everywhere. */
export const clusterRoleBindingStrategy = bindingStrategy(['ClusterRole'], false, 'clusterRoleBinding');
