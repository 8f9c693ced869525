import type { Place } from '../../client/filled/places.js';
import { useTexts } from '../../texts/texts.js';
import { ObjectLink } from '../object/objectlink.js';

/** A link to a space or virtual cluster, with its kind, project and name. */
export function PlaceLink({ place: { of, namespace, project, name } }: { readonly place: Place }) {
  const { usedIn: texts } = useTexts();
  return (
    <ObjectLink resource={of.resource} namespace={namespace} name={name}>
      {texts.places[of.kind](`${project}/${name}`)}
    </ObjectLink>
  );
}

/** A key that identifies the instance. */
export const placeKey = ({ of, namespace, name }: Place): string => `${of.kind} ${namespace}/${name}`;
