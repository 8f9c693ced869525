/** What is asked of a server of each size; the same requests of all. */
import { createClient, must, type Client, type Endpoint } from '../client.js';
import { createHttp2Client } from '../http2client.js';
import { applyLoad, type Load, type Operation } from '../load.js';
import { measure } from '../measure.js';
import type { Measured } from '../rows/row.js';
import type { Target } from '../targets/target.js';
import { IN_NAMESPACE, namespaceOf, objectBody, objectOf, objectPath, type Size } from './fill.js';

interface Asked {
  readonly target: Target;
  readonly size: Size;
  /** Of the user whose name ends in zeros. */
  readonly key: string;
}

export interface ScaleRow {
  readonly name: string;
  /** `cpu`: of the server, for each operation; `block`: the longest block of its event loop. */
  readonly unit: 'cpu' | 'block';
  run(asked: Asked): Promise<Measured>;
}

const READERS = 16;
const WRITERS = 32;
const INFORMERS = 10;
const REVIEW = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });

/** Spread over all, in the same order in every run. */
const someOf = (count: number, index: number): number => (index * 7919 + 17) % count;

const loads = (
  name: string,
  bounds: { readonly workers: number; readonly warmUp: number; readonly operations: number },
  operation: (client: Client, asked: Asked) => Operation,
  endpointOf: (asked: Asked) => Endpoint = ({ target }) => target.endpoint,
): ScaleRow => ({
  name,
  unit: 'cpu',
  async run(asked) {
    const client = createClient(endpointOf(asked), bounds.workers);
    const operate = operation(client, asked);
    const load = (operations: number, from: number): Promise<Load> =>
      applyLoad(bounds.workers, { operations, seconds: 600 }, (index, worker) =>
        operate(from + index, worker),
      );
    await load(bounds.warmUp, 0);
    const measured = await measureOf(asked, () => load(bounds.operations, bounds.warmUp));
    client.close();
    return measured;
  },
});

async function measureOf({ target }: Asked, load: () => Promise<Load>): Promise<Measured> {
  const client = createClient(target.endpoint, 1);
  const measured = await measure(target, client, load);
  client.close();
  return measured;
}

const READ = { workers: READERS, warmUp: 10_000, operations: 15_000 };
/** Each is an event of one watch. */
export const WRITES = 2 * (6_000 + 4_000);
const WRITE = { workers: WRITERS, warmUp: 6_000, operations: 4_000 };

/** Lists all, as an informer does at its start, and holds nothing of it. */
async function relist(endpoint: Endpoint): Promise<number> {
  const client = createHttp2Client(endpoint, 1);
  let bytes = 0;
  const path = '/api/v1/configmaps?resourceVersion=0';
  const { code, ended } = await client.follow({ path }, (piece) => (bytes += piece.length));
  if (code !== 200) throw new Error(`GET ${path}: ${code}`);
  await ended;
  client.close();
  return bytes;
}

export const SCALE_ROWS: readonly ScaleRow[] = [
  loads('GET', READ, (client, { size }) => async (index) => {
    const at = someOf(size.objects, index);
    const path = objectPath(namespaceOf(Math.floor(at / IN_NAMESPACE)), objectOf(at));
    return (await must(client, { path })).body.length;
  }),
  loads(
    'LIST of 100 in a namespace',
    { workers: 4, warmUp: 1_000, operations: 1_000 },
    (client, { size }) =>
      async (index) =>
        (await must(client, { path: objectPath(namespaceOf(someOf(size.namespaces, index))) })).body.length,
  ),
  loads(
    'SelfSubjectReview by an access key',
    READ,
    (client) => async () => {
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      return (await must(client, { method: 'POST', path, body: REVIEW })).body.length;
    },
    ({ target, key }) => ({ ...target.endpoint, token: key }),
  ),
  loads('create, 32 clients', WRITE, (client, { size }) => async (index) => {
    const namespace = namespaceOf(someOf(size.namespaces, index));
    const body = objectBody(namespace, `new-${index}`);
    return (await must(client, { method: 'POST', path: objectPath(namespace), body })).body.length;
  }),
  loads('merge patch, 32 clients', WRITE, (client, { size }) => async (index) => {
    const at = someOf(size.objects, index);
    const path = objectPath(namespaceOf(Math.floor(at / IN_NAMESPACE)), objectOf(at));
    const body = JSON.stringify({ data: { changed: String(index) } });
    const contentType = 'application/merge-patch+json';
    return (await must(client, { method: 'PATCH', path, body, contentType })).body.length;
  }),
  {
    name: 'ten informers list all at once',
    unit: 'block',
    run: (asked) =>
      measureOf(asked, () =>
        applyLoad(INFORMERS, { operations: INFORMERS, seconds: 600 }, () => relist(asked.target.endpoint)),
      ),
  },
];
