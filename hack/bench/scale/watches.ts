import { countLines, revisionOf } from '../fanout.js';
import { createHttp2Client } from '../http2client.js';
import { applyLoad } from '../load.js';
import type { Target } from '../targets/target.js';
import { namespaceOf, objectPath, type Size } from './fill.js';

const ON_ONE_CONNECTION = 90;

export interface Watched {
  /** How many events have come so far. */
  events(): number;
  close(): void;
}

/** One watch of each namespace. */
export async function watchAll({ endpoint }: Target, { watches }: Size): Promise<Watched> {
  const client = createHttp2Client(endpoint, Math.ceil(watches / ON_ONE_CONNECTION));
  const revision = await revisionOf(client, objectPath(namespaceOf(0)));
  let events = 0;
  await applyLoad(20, { operations: watches, seconds: 300 }, async (index) => {
    const path = `${objectPath(namespaceOf(index))}?watch=true&timeoutSeconds=3600&resourceVersion=${revision}`;
    const { code } = await client.follow({ path }, (piece) => (events += countLines(piece)));
    if (code !== 200) throw new Error(`GET ${path}: ${code}`);
    return 0;
  });
  return { events: () => events, close: () => client.close() };
}
