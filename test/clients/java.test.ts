/** The official client, fabric8, and a client that OpenAPI Generator makes of /openapi/v2 (test/clients/java, by Maven). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSuite } from '../fixtures/languages/languagesuite.js';
import { readJunit } from '../fixtures/languages/testoutcome.js';

await describeSuite('Java', {
  folder: 'java',
  programs: ['mvn', 'javac'],
  args: (results) => ['-B', '-q', 'test', `-Dreports=${results}`],
  read: (_, results) =>
    readdirSync(results)
      .filter((name) => name.endsWith('.xml'))
      .flatMap((name) => readJunit(readFileSync(join(results, name), 'utf8'))),
});
