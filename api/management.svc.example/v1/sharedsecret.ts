import { defineResource, type ObjectOf } from '../../resource.js';
import { secretSchema } from './secretschema.js';

/** A global secret, shared across users, teams and connected clusters. */
export const SharedSecret = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'SharedSecret',
  plural: 'sharedsecrets',
  shortNames: ['ss'],
  namespaced: true,
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  description:
    'SharedSecret holds sensitive key/value data that is shared across users, teams and connected clusters. Its access rules are transformed into roles and role bindings.',
  schema: secretSchema('Secret data.', {}),
});

export type SharedSecret = ObjectOf<typeof SharedSecret>;
