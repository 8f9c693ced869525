import { defineResource, type ObjectOf } from '../../resource.js';
import { Type } from '../../type.js';
import { labelSelectorSchema } from '../../meta/v1/labelselector.js';
import { component, stringMap } from '../../meta/v1/schema.js';
import { MAX_ITEMS, MAX_TEXT, names, text } from './fields.js';
import { secretSchema } from './sharedsecret.js';

const syncSchema = Type.Object(
  {
    spaceSelector: Type.Optional(
      component(labelSelectorSchema, {
        description: 'Selects SpaceInstances of the project by their labels. Empty: all of them.',
      }),
    ),
    spaces: names(
      'Name of a SpaceInstance.',
      'SpaceInstances of the project that have the Secrets, besides the selected ones, whoever owns them. To add one, a user needs the verb sync on the ProjectSecret.',
    ),
    name: text('Name of the Secrets. By default that of the ProjectSecret.'),
    type: text('Type of the Secrets. By default Opaque.'),
    keys: Type.Optional(
      stringMap({
        description: 'The keys of the Secrets. By default those of the ProjectSecret.',
        value: 'The key of the ProjectSecret.',
        maxLength: MAX_TEXT,
        maxProperties: MAX_ITEMS,
      }),
    ),
  },
  {
    description:
      'Secrets that the server creates in spaces of the project, and removes with the ProjectSecret. They have its data in spaces that it names, and in selected ones whose owner or project spec.access gives the verb sync. A Secret that is there already is left as it is.',
  },
);

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
  schema: secretSchema('Secret data. Where the labels name a SharedSecret the server fills them.', {
    sync: Type.Optional(syncSchema),
  }),
});

export type ProjectSecret = ObjectOf<typeof ProjectSecret>;
