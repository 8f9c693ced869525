import type { HostClient } from '../../pkg/hostclient/interface.js';
import { patiently } from './patience.js';
import { refused, type Say } from './words.js';

interface Condition {
  readonly type: string;
  readonly status: string;
}

interface ApiService {
  readonly spec: { readonly group: string; readonly version: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface ApiResourceList {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Rejects where it does not become available in a while, or what it serves cannot be listed through the host. */
export async function checkApiService(host: HostClient, name: string, say: Say): Promise<void> {
  const path = `/apis/apiregistration.k8s.io/v1/apiservices/${name}`;
  const { spec } = await patiently(`that the APIService ${name} is available`, async () => {
    const answer = await host.send({ method: 'GET', path });
    if (answer.status !== 200) throw refused(`read the APIService ${name}`, answer);
    const found = answer.body as ApiService;
    return found.status?.conditions?.some(isAvailable) === true ? found : undefined;
  });
  say(`apiservice ${name} is available`);
  const group = `/apis/${spec.group}/${spec.version}`;
  const { resources } = (await read(host, group)) as ApiResourceList;
  const lists = resources.filter(({ verbs }) => verbs.includes('list'));
  if (lists.length === 0) throw new Error(`${group} has nothing to list`);
  for (const { name: resource } of lists) {
    await read(host, `${group}/${resource}?limit=1`);
    say(`${resource} can be listed`);
  }
}

const isAvailable = ({ type, status }: Condition): boolean => type === 'Available' && status === 'True';

/** A replica that is about to go may refuse; another answers. */
const read = (host: HostClient, path: string): Promise<unknown> =>
  patiently(`an answer of ${path}`, async () => {
    const answer = await host.send({ method: 'GET', path });
    if (answer.status !== 200) throw refused(path, answer);
    return answer.body;
  });
