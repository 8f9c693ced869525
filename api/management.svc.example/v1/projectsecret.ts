import { defineResource } from '../../resource.js';
import type { ObjectOf } from '../../resource.js';
import { secretSchema } from './secretschema.js';

/** A secret of a project, with data of its own or with those of a SharedSecret. */
export const ProjectSecret = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'ProjectSecret',
  plural: 'projectsecrets',
  shortNames: ['ps'],
  namespaced: true,
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  description:
    'ProjectSecret is a secret of a project. With the labels management.svc.example/sharedsecret-name and management.svc.example/sharedsecret-namespace and no data of its own it has the data of that SharedSecret, as they are now.',
  schema: secretSchema('Secret data. Where the labels name a SharedSecret the server fills them.'),
});

export type ProjectSecret = ObjectOf<typeof ProjectSecret>;
