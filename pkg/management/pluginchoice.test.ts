import { expect, test } from '@jest/globals';
import { chosenPlugins, type PluginChoice } from './pluginchoice.js';

test.each<[string, PluginChoice, string[]]>([
  [
    'by default',
    { enabled: [], disabled: [] },
    ['NamespaceLifecycle', 'OwnerReferencesPermissionEnforcement', 'ProjectQuota'],
  ],
  [
    'one more, in its place',
    { enabled: ['NamespaceAutoProvision'], disabled: [] },
    ['NamespaceAutoProvision', 'NamespaceLifecycle', 'OwnerReferencesPermissionEnforcement', 'ProjectQuota'],
  ],
  [
    'one less',
    { enabled: [], disabled: ['NamespaceLifecycle', 'NamespaceAutoProvision'] },
    ['OwnerReferencesPermissionEnforcement', 'ProjectQuota'],
  ],
])('%s', (_name, choice, names) => {
  expect(chosenPlugins(choice)).toEqual(names);
});
