/** kubernetes, kr8s and kopf, and models made by datamodel-code-generator (test/clients/python, by pytest). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSuite } from '../fixtures/languages/languagesuite.js';
import { readJunit } from '../fixtures/languages/testoutcome.js';

const REPORT = 'pytest.xml';

await describeSuite('Python', {
  folder: 'python',
  programs: ['clients-pytest'],
  args: (results) => ['-q', '-p', 'no:cacheprovider', `--junitxml=${join(results, REPORT)}`],
  read: (_, results) => readJunit(readFileSync(join(results, REPORT), 'utf8')),
});
