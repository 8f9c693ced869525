/** kube and kube-leader-election (test/clients/rust, by cargo). */
import { describeSuite } from '../fixtures/languages/languagesuite.js';
import { readLibtest } from '../fixtures/languages/testoutcome.js';

await describeSuite('Rust', {
  folder: 'rust',
  programs: ['cargo'],
  args: () => ['test', '--locked', '--no-fail-fast'],
  read: readLibtest,
});
