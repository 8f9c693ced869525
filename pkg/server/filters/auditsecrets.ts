import type { ResourceDefinition } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import type { RequestInfo } from '../requestinfo.js';
import type { ResourceStores } from '../resources.js';

/** Reviews and requests of tokens carry them. */
const TOKENS = 'authentication.k8s.io';

/** Whether the objects of a request hold no secrets: only kinds without `x-sensitive` members. */
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

/** Whether the sent object is of the path's kind. Another kind may be a Secret on a wrong path. */
export function isOfItsKind(stores: ResourceStores): (info: RequestInfo, sent: unknown) => boolean {
  return (info, sent) => {
    if (info.kind === 'path' || typeof sent !== 'object' || sent === null) return true;
    const { kind } = membersOf(sent);
    const definition = (stores.findRequest(info) ?? stores.find(info))?.definition;
    return kind === undefined || kind === 'DeleteOptions' || kind === definition?.kind;
  };
}
