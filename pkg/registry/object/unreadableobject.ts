import { apiVersionOf, type KubeObject, type ResourceDefinition } from '../../../api/resource.js';

/** The placeholder of an object whose record cannot be read. `path`: the part of its key after the resource prefix. */
export function unreadableObject(definition: ResourceDefinition, path: string): KubeObject {
  const slash = path.indexOf('/');
  const name = path.slice(slash + 1);
  const metadata = slash < 0 ? { name } : { name, namespace: path.slice(0, slash) };
  return { kind: definition.kind, apiVersion: apiVersionOf(definition), metadata };
}
