/** Where the objects of a noun are. */
import { type Client, type Place } from './connection/client.js';
import { usage } from './failure.js';
import type { Noun } from './nouns.js';
import { projectNamespace } from './project.js';

export interface PlaceOptions {
  readonly namespace?: string;
  readonly project?: string;
  readonly allNamespaces?: boolean;
}

/** The collection of a noun. Throws Failure, usage, where an option is missing. */
export async function placeOf(
  client: Client,
  noun: Pick<Noun, 'plural' | 'within'>,
  options: PlaceOptions,
): Promise<Place> {
  switch (noun.within) {
    case 'cluster':
      return { resource: noun.plural };
    case 'project': {
      if (options.allNamespaces === true) return { resource: noun.plural };
      if (options.project === undefined) throw usage(`name the project with --project`);
      return { resource: noun.plural, namespace: await projectNamespace(client, options.project) };
    }
    case 'namespace':
      if (options.project !== undefined)
        return { resource: 'projectsecrets', namespace: await projectNamespace(client, options.project) };
      if (options.allNamespaces === true) return { resource: noun.plural };
      return { resource: noun.plural, namespace: options.namespace ?? 'default' };
  }
}
