import { expect, test } from '@jest/globals';
import type { PluginChoice } from './pluginchoice.js';
import { chosenPlugins } from './pluginchoice.js';

test.each<[string, PluginChoice, string[]]>([
  [
    'by default',
    { enabled: [], disabled: [] },
    ['NamespaceLifecycle', 'OwnerReferencesPermissionEnforcement'],
  ],
  [
    'one more, in its place',
    { enabled: ['NamespaceAutoProvision'], disabled: [] },
    ['NamespaceAutoProvision', 'NamespaceLifecycle', 'OwnerReferencesPermissionEnforcement'],
  ],
  [
    'one less',
    { enabled: [], disabled: ['NamespaceLifecycle', 'NamespaceAutoProvision'] },
    ['OwnerReferencesPermissionEnforcement'],
  ],
])('%s', (_name, choice, names) => {
  expect(chosenPlugins(choice)).toEqual(names);
});
