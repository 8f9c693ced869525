import { must, type Call, type Client } from '../client.js';
import { createHttp2Client, getOverHttp2 } from '../http2client.js';
import { applyLoad, type Bounds } from '../load.js';
import { nameOf, pathOf } from '../objects.js';
import { measureWarm, onBoth, type Context, type Measured, type Row } from './row.js';

const THOUSAND = 'list-1000';
const TEN_THOUSAND = 'list-10000';

interface ReadRow {
  readonly name: string;
  readonly aimed: Pick<Row, 'aim' | 'aimRatio'>;
  readonly namespace: typeof THOUSAND | typeof TEN_THOUSAND;
  readonly clients: number;
  /** What a client sends next, given the answer to its last call. */
  readonly next: (index: number, last: Buffer | undefined) => Call;
}

const get = (query: string) => (index: number) => ({ path: pathOf(THOUSAND, nameOf(index % 1000)) + query });

/** The next page where the last answer names one, else the first. */
function nextPage(_index: number, last: Buffer | undefined): Call {
  const token = /"continue": ?"([^"]+)"/.exec(last?.toString('latin1', 0, 2000) ?? '')?.[1];
  const path = `${pathOf(THOUSAND)}?limit=100`;
  return { path: token === undefined ? path : `${path}&continue=${encodeURIComponent(token)}` };
}

const list = (namespace: string, gzip: boolean) => () => ({ path: pathOf(namespace), gzip });

const PAGES = { aimRatio: { embedded: 18, etcd: 16 } };

const READS: readonly ReadRow[] = [
  {
    name: 'GET, linearizable',
    aimed: { aim: onBoth(60e-6) },
    namespace: THOUSAND,
    clients: 16,
    next: get(''),
  },
  {
    name: 'GET, resourceVersion=0',
    aimed: { aim: onBoth(40e-6) },
    namespace: THOUSAND,
    clients: 16,
    next: get('?resourceVersion=0'),
  },
  {
    name: 'LIST 1,000',
    aimed: { aim: onBoth(2e-3) },
    namespace: THOUSAND,
    clients: 2,
    next: list(THOUSAND, false),
  },
  {
    name: 'LIST 1,000, gzip',
    aimed: { aim: onBoth(2e-3) },
    namespace: THOUSAND,
    clients: 2,
    next: list(THOUSAND, true),
  },
  { name: 'LIST pages of 100', aimed: PAGES, namespace: THOUSAND, clients: 4, next: nextPage },
  {
    name: 'LIST 100 of 1,000 by label',
    aimed: PAGES,
    namespace: THOUSAND,
    clients: 4,
    next: () => ({ path: `${pathOf(THOUSAND)}?labelSelector=tenth%3Dyes` }),
  },
  {
    name: 'LIST 10,000',
    aimed: { aim: onBoth(20e-3) },
    namespace: TEN_THOUSAND,
    clients: 2,
    next: list(TEN_THOUSAND, false),
  },
  {
    name: 'LIST 10,000, gzip',
    aimed: { aim: onBoth(20e-3) },
    namespace: TEN_THOUSAND,
    clients: 2,
    next: list(TEN_THOUSAND, true),
  },
];

/** As kubectl, client-go and the aggregator ask. */
async function getsOverHttp2(context: Context): Promise<Measured> {
  await context.seeded(THOUSAND, 1000);
  const client = createHttp2Client(context.target.endpoint, 4);
  const measured = await measureWarm(context, (bounds) =>
    applyLoad(16, bounds, (index) => getOverHttp2(client, pathOf(THOUSAND, nameOf(index % 1000)))),
  );
  client.close();
  return measured;
}

export const readRows: readonly Row[] = [
  ...READS.map((read): Row => ({
    name: read.name,
    unit: 'cpu',
    ...read.aimed,
    run: (context) => runRead(read, context),
  })),
  { name: 'GET over HTTP/2', unit: 'cpu', aimRatio: { embedded: 10, etcd: 8 }, run: getsOverHttp2 },
];

async function runRead(read: ReadRow, context: Context): Promise<Measured> {
  await context.seeded(read.namespace, read.namespace === THOUSAND ? 1000 : 10_000);
  const client = context.client(read.clients);
  const measured = await measureWarm(context, (bounds) => readUntil(read, client, bounds));
  client.close();
  return measured;
}

function readUntil(read: ReadRow, client: Client, bounds: Bounds) {
  const last: Buffer[] = [];
  return applyLoad(read.clients, bounds, async (index, worker) => {
    const { body } = await must(client, read.next(index, last[worker]));
    last[worker] = body;
    return body.length;
  });
}
