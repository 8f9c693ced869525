/** A server that takes turns with another one at rows, with what the rows read. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../client.js';
import { seed } from '../objects.js';
import { startOurs } from '../targets/ours.js';
import type { OwnName, TargetOptions } from '../targets/target.js';
import type { Subject } from './row.js';
import { NAMESPACE, OBJECTS } from './rows.js';

/** In a folder of its own inside that of `options`. */
export async function startSubject(engine: OwnName, options: TargetOptions, scale: number): Promise<Subject> {
  const target = await startOurs(engine, {
    ...options,
    folder: mkdtempSync(join(options.folder, 'server-')),
  });
  const client: Subject['client'] = (connections, token = target.endpoint.token) =>
    createClient({ ...target.endpoint, token }, connections);
  const seeding = client(1);
  await seed(seeding, NAMESPACE, OBJECTS).finally(() => seeding.close());
  return { target, client, scale };
}
