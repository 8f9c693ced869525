import type { ResourceDefinition } from '../../api/resource.js';
import type { RequestInfo } from './requestinfo.js';
import type { ResourceStores } from './stores.js';

/** Reviews and requests of tokens carry them. */
const TOKENS = 'authentication.k8s.io';

/** Tells requests whose objects hold no secrets: those of kinds with no `x-sensitive` member, and of no other. */
export function showsNoSecrets(stores: ResourceStores): (info: RequestInfo) => boolean {
  const known = new Map<ResourceDefinition, boolean>();
  return (info) => {
    if (info.kind === 'path') return false;
    const definition = (stores.findRequest(info) ?? stores.find(info))?.definition;
    if (definition === undefined) return false;
    let shows = known.get(definition);
    if (shows === undefined) {
      shows =
        definition.group !== TOKENS && !JSON.stringify(definition.schema).includes('"x-sensitive":true');
      known.set(definition, shows);
    }
    return shows;
  };
}
