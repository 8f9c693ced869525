import { membersOf } from '../../pkg/apimachinery/encoding/members.js';
import type { HostAnswer, HostClient } from '../../pkg/hostclient/interface.js';
import { pollUntil } from './poll.js';
import { refused, type Say } from './words.js';

interface Condition {
  readonly type: string;
  readonly status: string;
}

interface ApiService {
  readonly spec: { readonly group: string; readonly version: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The members of `apidiscovery.k8s.io/v2` that are read. */
interface DiscoveryList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly object[];
    }[];
  }[];
}

interface ApiResourceList {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Rejects if it does not become available in time, or its kinds cannot be listed through the host. */
export async function checkApiService(host: HostClient, name: string, say: Say): Promise<void> {
  const path = `/apis/apiregistration.k8s.io/v1/apiservices/${name}`;
  const { spec } = await pollUntil(`that the APIService ${name} is available`, async () => {
    const answer = await host.send({ method: 'GET', path });
    if (answer.status !== 200) throw refused(`read the APIService ${name}`, answer);
    const { spec: found, status }: Partial<ApiService> = membersOf(answer.body);
    const available = status?.conditions?.some(isAvailable) === true;
    return available && found !== undefined ? { spec: found } : undefined;
  });
  say(`apiservice ${name} is available`);
  await pollUntil(`${spec.group} in the discovery document of the cluster`, async () => {
    const { body } = await host.send({ method: 'GET', path: '/apis', accept: DISCOVERY });
    return isDiscovered(membersOf(body), spec) ? true : undefined;
  });
  say('kubectl finds its kinds');
  const group = `/apis/${spec.group}/${spec.version}`;
  const { resources = [] }: Partial<ApiResourceList> = membersOf((await asked(host, group, 200)).body);
  const lists = resources.filter(({ verbs }) => verbs.includes('list'));
  if (lists.length === 0) throw new Error(`${group} has nothing to list`);
  for (const { name: resource } of lists) {
    // Only agents may list some kinds.
    const { status } = await asked(host, `${group}/${resource}?limit=1`, 200, 403);
    say(
      status === 200 ? `${resource} can be listed` : `${resource} is refused to this account, as it may be`,
    );
  }
}

/** As kubectl requests. */
const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * The cluster updates this document a while after the APIService is available; until then kubectl does not
 * know our kinds.
 */
function isDiscovered({ items }: DiscoveryList, { group, version }: ApiService['spec']): boolean {
  const versions = items?.find(({ metadata }) => metadata?.name === group)?.versions;
  const found = versions?.find((one) => one.version === version);
  return found?.freshness !== 'Stale' && (found?.resources ?? []).length > 0;
}

const isAvailable = ({ type, status }: Condition): boolean => type === 'Available' && status === 'True';

/** A replica that is shutting down may refuse with another status; the next request reaches another one. */
const asked = (host: HostClient, path: string, ...statuses: readonly number[]): Promise<HostAnswer> =>
  pollUntil(`an answer of ${path}`, async () => {
    const answer = await host.send({ method: 'GET', path });
    if (!statuses.includes(answer.status)) throw refused(path, answer);
    return answer;
  });
