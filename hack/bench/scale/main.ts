/** One server with ever more objects: what its start, its memory and each request cost (`make scale`). */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import { parseKeyFile } from '../../../pkg/storage/encryption/keyfile.js';
import { dataKeyring } from '../../../pkg/storage/encryption/keyring.js';
import { openEncrypted } from '../../../pkg/storage/encryption/openencrypted.js';
import { createClient } from '../client.js';
import { residentBytes } from '../cpu.js';
import type { Measured } from '../rows/row.js';
import { startOurs } from '../targets/ours.js';
import { fill, makeFirst, sizeOf, type Size } from './fill.js';
import { scaleChart, scaleTable, type SizeResult } from './report.js';
import { SCALE_ROWS, WRITES } from './rows.js';
import { watchAll } from './watches.js';
import { SECRET_RECORDS } from '../../../pkg/management/secretrecords.js';
import { messageOf } from '../../../pkg/apimachinery/caught.js';

const USAGE = `Usage: hack/bench/run.sh scale [--objects N,N,...] [--out FOLDER]
  --objects  sizes, of whole thousands (10000,100000,1000000). A million take about ten minutes and 3 GB of disk
  --out      where report.md and scale.svg go (.tools/results/scale)`;

const say = (text: string): void => void process.stderr.write(`scale: ${text}\n`);

/** Throws an Error that says what is wrong. */
function sizesOf(text: string): Size[] {
  return text.split(',').map((part) => {
    if (!/^[1-9]\d*000$/.test(part)) throw new Error(`--objects: "${part}" is no number of whole thousands`);
    return sizeOf(Number(part));
  });
}

async function prepareStore(folder: string, size: Size): Promise<string> {
  const target = await startOurs('embedded', { folder });
  const client = createClient(target.endpoint, 1);
  const key = await makeFirst(client);
  client.close();
  await target.stop();
  const keys = parseKeyFile(readFileSync(join(folder, 'encryption.key'), 'utf8'));
  const engine = await openEmbedded({ directory: join(folder, 'data', 'store') });
  const { storage } = await openEncrypted(engine, dataKeyring(keys, SECRET_RECORDS), 'the key of the bench');
  await fill(storage, size, key);
  await storage.close();
  return key;
}

async function measureSize(size: Size): Promise<SizeResult> {
  const folder = mkdtempSync(join(tmpdir(), 'scale-'));
  try {
    say(`${size.objects} objects: filling the store`);
    const key = await prepareStore(folder, size);
    say(`${size.objects} objects: starting`);
    const target = await startOurs('embedded', { folder });
    try {
      const startBytes = residentBytes(target.pid);
      const watched = await watchAll(target, size);
      const rows = new Map<string, Measured>();
      for (const row of SCALE_ROWS) {
        say(`${size.objects} objects: ${row.name}`);
        rows.set(row.name, await row.run({ target, size, key }));
      }
      watched.close();
      if (watched.events() !== WRITES) throw new Error(`${watched.events()} events of ${WRITES} writes came`);
      return {
        size,
        readySeconds: target.readySeconds,
        startBytes,
        endBytes: residentBytes(target.pid),
        rows,
      };
    } finally {
      await target.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      objects: { type: 'string', default: '10000,100000,1000000' },
      out: { type: 'string', default: '.tools/results/scale' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const results: SizeResult[] = [];
  for (const size of sizesOf(values.objects)) results.push(await measureSize(size));
  mkdirSync(values.out, { recursive: true });
  const text = scaleTable(results);
  process.stdout.write(text);
  writeFileSync(join(values.out, 'report.md'), text);
  writeFileSync(join(values.out, 'scale.svg'), scaleChart(results));
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
main().catch((error: unknown) => {
  say(messageOf(error));
  process.exit(1);
});
