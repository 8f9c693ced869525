// Reads a store that another process has open, again and again: reader.mjs ENGINE DIRECTORY TIMES
const [engine, directory, times] = process.argv.slice(2);
const { readEmbedded } = await import(`${engine}/storage/embedded/readonly.js`);
for (let time = 0; time < Number(times); time += 1) {
  const store = await readEmbedded(directory);
  const { records } = await store.scan({ start: 'k', end: 'l' });
  process.stdout.write(`${records.length}\n`);
  await store.close();
}
