/** Checks of `platform doctor` behind the server's address. */
import { listOf, membersOf, textIn } from '../../../../pkg/apimachinery/encoding/members.js';
import type { Client } from '../../connection/client.js';
import { Failure, messageOf } from '../../failure.js';
import { type Check, type Finding, ok, skipped, wrong } from '../../output/finding.js';
import { type Answer, ask } from '../../connection/request.js';
import { nameOfSelf, selfOf } from '../../self.js';

const GROUP = 'management.svc.example';
const API_SERVICES = '/apis/apiregistration.k8s.io/v1';
const API_SERVICE = `${API_SERVICES}/apiservices/v1.${GROUP}`;

export const API: readonly Check[] = [
  { check: 'apiservice', needs: ['server'], run: apiService },
  { check: 'store', needs: ['server', 'apiservice'], run: store },
  { check: 'credentials', needs: ['server', 'apiservice'], run: credentials },
  { check: 'permissions', needs: ['server'], repeats: 'credentials', run: permissions },
];

/** Remedies for the reasons that kube-apiserver gives (`kube-aggregator/pkg/controllers/status`). */
const ADVICE: Readonly<Record<string, string>> = {
  ServiceNotFound: 'make the Service of the management server: install its chart again',
  ServicePortError: 'let the Service have the port that the APIService names',
  EndpointsNotFound: 'look at the pods of the management server: none is ready',
  MissingEndpoints: 'look at the pods of the management server: none is ready',
  ServiceAccessError: 'look at the log of kube-apiserver',
  EndpointsAccessError: 'look at the log of kube-apiserver',
};

/** Checks of a server behind kube-apiserver. */
async function apiService(client: Client): Promise<Finding> {
  const { code, text } = await get(client, API_SERVICE);
  if (code === 200) return availability(text);
  if (code === 401 || code === 403) return discovery(client, 'these credentials may not read the APIService');
  // A server of its own has no APIServices; kube-apiserver has, and not this one.
  if (code === 404 && (await get(client, API_SERVICES)).code === 200)
    return wrong(`there is no APIService v1.${GROUP}`, 'install the chart of the management server');
  return discovery(client, 'the server is reached directly');
}

function availability(text: string): Finding {
  const { conditions } = membersOf(membersOf(JSON.parse(text)).status);
  const available = listOf(conditions).find((condition) => textIn(condition, 'type') === 'Available');
  if (textIn(available, 'status') === 'True') return ok('available');
  const reason = textIn(available, 'reason') ?? '';
  const message = textIn(available, 'message') ?? 'kube-apiserver has not looked yet';
  const ca = /x509|certificate/.test(message)
    ? 'make its caBundle the authority of the certificate that the management server serves with'
    : 'look at the pods of the management server, and at the network between';
  return wrong(message, ADVICE[reason] ?? ca);
}

/** The last check: whether the group is served. */
async function discovery(client: Client, why: string): Promise<Finding> {
  const { code } = await get(client, `/apis/${GROUP}/v1`);
  if (code === 200 || code === 401 || code === 403) return skipped(why);
  return wrong(
    `the group ${GROUP} is not served (${code})`,
    'look at the management server and its APIService',
  );
}

/** Behind kube-apiserver `/readyz` is that of another server, so a request that needs the store is sent. */
async function store(client: Client): Promise<Finding> {
  const behind = (await get(client, API_SERVICES)).code === 200;
  const paths = behind ? [`/apis/${GROUP}/v1/projects?limit=1`] : ['/readyz?verbose', '/readyz/etcd'];
  const answers = await Promise.all(paths.map((path) => get(client, path)));
  const bad = answers.find(({ code }) => ![200, 401, 403].includes(code));
  if (bad === undefined)
    return answers.some(({ code }) => code === 200) ? ok('ready') : skipped('these credentials may not ask');
  return wrong(`not ready: ${failing(bad)}`, 'look at the log of the management server, and at its store');
}

/** The checks that fail, else the message of a Status, else the code. */
function failing({ code, text }: Answer): string {
  const checks = [...text.matchAll(/^\[-\](\S+)/gm)].map(([, name]) => name).join(', ');
  if (checks !== '') return checks;
  try {
    return textIn(JSON.parse(text), 'message') ?? `${code}`;
  } catch {
    return text.slice(0, 200) || `${code}`;
  }
}

async function credentials(client: Client): Promise<Finding> {
  try {
    return ok(nameOfSelf(await selfOf(client)));
  } catch (error) {
    if (error instanceof Failure && error.advice !== undefined) throw error;
    return wrong(messageOf(error), 'look at the log of the management server');
  }
}

async function permissions(client: Client): Promise<Finding> {
  const asked = ['sharedsecrets', 'ownedaccesskeys', 'projects'];
  const answers = await Promise.all(
    asked.map(async (resource) => {
      const review = {
        kind: 'SelfSubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        spec: { resourceAttributes: { group: GROUP, resource, verb: 'list' } },
      };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const { status } = membersOf(await client.post(path, review));
      return membersOf(status).allowed === true ? [resource] : [];
    }),
  );
  const may = answers.flat();
  return ok(may.length === 0 ? 'only what is shared with you' : `may list all ${may.join(', ')}`);
}

const get = ({ connection }: Client, path: string): Promise<Answer> =>
  ask(connection, { method: 'GET', path, accept: 'application/json, */*' }, () => undefined);
