import type { TProperties } from 'typebox';
import { Type } from '../../type.js';
import { MAX_ITEMS, names, text } from './fields.js';

/** Who may do what with an object. `noun`: what the object is called: `secret`. `more`: fields besides. */
export const accessRules = <T extends TProperties>(noun: string, more: T) =>
  Type.Array(
    Type.Object(
      {
        name: text('Optional name for the rule.'),
        verbs: names('A verb, such as get.', `Verbs that apply to the ${noun}; * stands for all verbs.`),
        subresources: names(
          'Name of a subresource.',
          `Subresources of the ${noun} that the rule allows; * stands for all.`,
        ),
        users: names(
          'Name of a user.',
          `Users who may access the ${noun} with the verbs; * stands for everyone who is authenticated.`,
        ),
        teams: names(
          'Name of a team.',
          `Teams who may access the ${noun} with the verbs; * stands for all teams.`,
        ),
        ...more,
      },
      { description: `One rule: who may do what with the ${noun}.` },
    ),
    {
      description: 'Access rights for users and teams, at most 12 rules.',
      maxItems: MAX_ITEMS,
      'x-kubernetes-list-type': 'atomic',
    },
  );

/** A field of the rules of secrets. */
export const syncedProjects = names(
  'Name of a project.',
  'Projects whose spaces and virtual clusters may have the secret, whoever owns them. Only with the verb sync.',
);
