/** client-go without controllers (test/clients/go); test/e2e/clients/controllerruntime.test.ts is about those. */
import { describeSuite } from '../fixtures/languages/languagesuite.js';
import { readGoTest } from '../fixtures/languages/testoutcome.js';

await describeSuite('Go', {
  folder: 'go',
  programs: ['go'],
  args: () => ['test', '-count=1', '-json', './...'],
  read: readGoTest,
});
