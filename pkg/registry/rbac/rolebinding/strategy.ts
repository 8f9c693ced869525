import { bindingStrategy } from '../bindings.js';

/** RoleBindings grant a Role of their namespace, or a ClusterRole within it. */
export const roleBindingStrategy = bindingStrategy(['Role', 'ClusterRole'], true, 'roleBinding');
