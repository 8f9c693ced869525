/** An API server that has a few objects of one group, and answers kubectl's discovery and lists. */
import { startStub, type StubServer } from '../fixtures/stubs/stubserver.js';

export interface KindServer {
  /** Text of a kubeconfig for it. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

/** The objects of each kind, by its name and its plural. */
export type Objects = Readonly<Record<string, readonly [plural: string, ...objects: object[]]>>;

/** `group`: '' for that of core/v1. */
export async function startKindServer(group: string, objects: Objects): Promise<KindServer> {
  const apiVersion = group === '' ? 'v1' : `${group}/v1`;
  const documents = discoveryOf(group, apiVersion, objects);
  const stub = await startStub(({ url = '' }, response) => {
    const [path = ''] = url.split('?', 1);
    const found = Object.entries(objects).find(([, [plural]]) => path.endsWith(`/${plural}`));
    const document = documents[path] ?? (found && listOf(apiVersion, ...found));
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { kind: 'Status', apiVersion: 'v1', code: 404 }));
  });
  return { kubeconfig: kubeconfigOf(stub), stop: () => stub.stop() };
}

function discoveryOf(group: string, apiVersion: string, objects: Objects): Record<string, object> {
  const versions = [{ groupVersion: apiVersion, version: 'v1' }];
  const groups = group === '' ? [] : [{ name: group, versions, preferredVersion: versions[0] }];
  const resources = Object.entries(objects).map(([kind, [name]]) => ({
    name,
    singularName: kind.toLowerCase(),
    kind,
    namespaced: true,
    verbs: ['get', 'list'],
  }));
  return {
    '/version': { major: '1', minor: '37', gitVersion: 'v1.37.0' },
    '/api': { kind: 'APIVersions', versions: group === '' ? ['v1'] : [] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups },
    [group === '' ? '/api/v1' : `/apis/${apiVersion}`]: {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: apiVersion,
      resources,
    },
  };
}

function listOf(apiVersion: string, kind: string, [, ...objects]: Objects[string]): object {
  const items = objects.map((object) => ({ apiVersion, kind, ...object }));
  return { kind: `${kind}List`, apiVersion, metadata: {}, items };
}

function kubeconfigOf({ url: server, authority }: StubServer): string {
  const data = Buffer.from(authority).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': data } }],
    users: [{ name: 'u', user: { token: 'of-the-cluster' } }],
  });
}
