/** Messages of discovery (`meta/v1` and `apidiscovery.k8s.io/v2`, `generated.proto`). */
import { objectMetaMessage } from './fromschema.js';
import { message, type Message } from './message.js';
import { listMeta } from './meta.js';

const addresses = message({ clientCIDR: [1, 'string'], serverAddress: [2, 'string'] });
const groupVersion = message({ groupVersion: [1, 'string'], version: [2, 'string'] });

export const apiGroup = message({
  name: [1, 'string'],
  versions: [2, groupVersion, 'list'],
  preferredVersion: [3, groupVersion],
  serverAddressByClientCIDRs: [4, addresses, 'list'],
});

export const apiGroupList = message({ groups: [1, apiGroup, 'list'] });

export const apiVersions = message({
  versions: [1, 'string', 'list'],
  serverAddressByClientCIDRs: [2, addresses, 'list'],
});

const apiResource = message({
  name: [1, 'string'],
  namespaced: [2, 'bool'],
  kind: [3, 'string'],
  verbs: [4, 'strings'],
  shortNames: [5, 'string', 'list'],
  singularName: [6, 'string'],
  categories: [7, 'string', 'list'],
  group: [8, 'string'],
  version: [9, 'string'],
  storageVersionHash: [10, 'string'],
});

export const apiResourceList = message({
  groupVersion: [1, 'string'],
  resources: [2, apiResource, 'list'],
});

const responseKind = message({ group: [1, 'string'], version: [2, 'string'], kind: [3, 'string'] });

const subresource = message({
  subresource: [1, 'string'],
  responseKind: [2, responseKind, 'pointer'],
  acceptedTypes: [3, responseKind, 'list'],
  verbs: [4, 'string', 'list'],
});

const resource = message({
  resource: [1, 'string'],
  responseKind: [2, responseKind, 'pointer'],
  scope: [3, 'string'],
  singularResource: [4, 'string'],
  verbs: [5, 'string', 'list'],
  shortNames: [6, 'string', 'list'],
  categories: [7, 'string', 'list'],
  subresources: [8, subresource, 'list'],
});

const version = message({
  version: [1, 'string'],
  resources: [2, resource, 'list'],
  freshness: [3, 'string'],
});

export function apiGroupDiscoveryList(): Message {
  const group = message({ metadata: [1, objectMetaMessage()], versions: [2, version, 'list'] });
  return message({ metadata: [1, listMeta], items: [2, group, 'list'] });
}
