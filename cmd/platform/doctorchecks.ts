/** What `platform doctor` looks at, one after the other. */
import { connect } from 'node:tls';
import type { Client } from './client.js';
import { Failure, messageOf } from './failure.js';
import { ask } from './request.js';
import { nameOfSelf, selfOf } from './self.js';
import { tlsAddress } from './trust.js';
import { unreachable } from './unreachable.js';

export interface Finding {
  readonly state: 'ok' | 'wrong' | 'skipped';
  readonly found: string;
  /** What to do where it is wrong. */
  readonly advice: string | undefined;
}

interface Check {
  readonly check: string;
  look(client: Client): Promise<Finding>;
}

const MAX_CLOCK_DIFFERENCE_MS = 30_000;
const SOON_MS = 14 * 86_400_000;
const GROUP = 'management.svc.example';

const ok = (found: string): Finding => ({ state: 'ok', found, advice: undefined });
const wrong = (found: string, advice: string): Finding => ({ state: 'wrong', found, advice });
const skipped = (found: string): Finding => ({ state: 'skipped', found, advice: undefined });
const ignore = (): undefined => undefined;

export const CHECKS: readonly Check[] = [
  { check: 'server', look: server },
  { check: 'certificate', look: certificate },
  { check: 'clock', look: clock },
  { check: 'credentials', look: credentials },
  { check: 'store', look: store },
  { check: 'apiservice', look: apiService },
  { check: 'permissions', look: permissions },
];

async function server(client: Client): Promise<Finding> {
  const { gitVersion } = (await client.read('/version')) as { gitVersion?: string };
  return ok(gitVersion ?? 'answers');
}

async function certificate({ connection }: Client): Promise<Finding> {
  const { server: url, ca, servername } = connection;
  const ends = await new Promise<number>((resolve, reject) => {
    const socket = connect({ ...tlsAddress(url, servername), ca }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.end();
    });
    socket.once('error', (error) => reject(unreachable(url, error)));
  });
  const day = new Date(ends).toISOString().slice(0, 10);
  return ends - Date.now() > SOON_MS
    ? ok(`trusted, until ${day}`)
    : wrong(`ends on ${day}`, 'renew the certificate of the server');
}

async function clock({ connection }: Client): Promise<Finding> {
  const { date } = await ask(connection, { method: 'GET', path: '/livez', accept: '*/*' }, ignore);
  if (date === undefined) return skipped('the server does not tell its time');
  const seconds = Math.round((date - Date.now()) / 1000);
  return Math.abs(seconds) * 1000 > MAX_CLOCK_DIFFERENCE_MS
    ? wrong(`the clocks differ by ${Math.abs(seconds)} s`, 'set the clock of this machine, or of the server')
    : ok('agrees with the server');
}

async function credentials(client: Client): Promise<Finding> {
  try {
    const self = await selfOf(client);
    return ok(nameOfSelf(self));
  } catch (error) {
    return wrong(messageOf(error), 'platform login URL');
  }
}

async function store({ connection }: Client): Promise<Finding> {
  const path = '/readyz?verbose';
  const { code, text } = await ask(connection, { method: 'GET', path, accept: '*/*' }, ignore);
  if (code === 200) return ok('ready');
  if (code === 401 || code === 403) return skipped('these credentials may not ask');
  const failing = [...text.matchAll(/^\[-\](\S+)/gm)].map(([, name]) => name).join(', ');
  return wrong(`not ready: ${failing || code}`, 'look at the log of the server');
}

/** Where the server is behind kube-apiserver. */
async function apiService(client: Client): Promise<Finding> {
  let object: unknown;
  try {
    object = await client.read(`/apis/apiregistration.k8s.io/v1/apiservices/v1.${GROUP}`);
  } catch (error) {
    if (error instanceof Failure && (error.reason === 'notFound' || error.reason === 'forbidden'))
      return skipped('the server is reached directly, or may not be asked');
    throw error;
  }
  const { status } = object as {
    status?: { conditions?: { type: string; status: string; message?: string }[] };
  };
  const available = status?.conditions?.find(({ type }) => type === 'Available');
  if (available?.status === 'True') return ok('available');
  return wrong(
    available?.message ?? 'not available',
    'look at the pods and the Service of the management server',
  );
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
      const { status } = (await client.post(path, review)) as { status?: { allowed?: boolean } };
      return status?.allowed === true ? [resource] : [];
    }),
  );
  const may = answers.flat();
  return ok(may.length === 0 ? 'only what is shared with you' : `may list all ${may.join(', ')}`);
}
