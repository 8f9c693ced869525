// Writes until it is killed, or as often as asked:
//   node writer.mjs <engine directory> <data directory> <writers> [commits of each writer]
// Each commit of writer w puts the same number under a/w and b/w; a line "w number revision" follows its answer.
import { writeSync } from 'node:fs';
import path from 'node:path';

const [engine, directory, writers, commits] = process.argv.slice(2);
const { openEmbedded } = await import(path.join(engine, 'storage/embedded/embedded.js'));
const storage = await openEmbedded({ directory });
writeSync(1, 'open\n');

async function write(writer) {
  const { record } = await storage.get(`a/${writer}`);
  const first = record === undefined ? 1 : Number(record.value.toString()) + 1;
  for (let number = first; commits === undefined || number < first + Number(commits); number++) {
    const value = Buffer.from(String(number).padEnd(300));
    const { revisions } = await storage.commit([
      { key: `a/${writer}`, value, expect: 'any' },
      { key: `b/${writer}`, value, expect: 'any' },
    ]);
    writeSync(1, `${writer} ${number} ${revisions[1]}\n`);
  }
}

await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));
await storage.close();
