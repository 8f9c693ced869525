import type { AccessKeyView } from '../../client/accesskeys.js';
import { useTexts } from '../../texts/texts.js';
import { ObjectLink } from '../object/objectlink.js';

/** Whose key it is: a project, with its page, or a name. */
export function KeyOwner({ shown: { owner, place } }: { readonly shown: AccessKeyView }) {
  const { secrets } = useTexts();
  return place === undefined ? (
    owner
  ) : (
    <ObjectLink resource="projects" name={place.project}>
      {secrets.inProject(place.project)}
    </ObjectLink>
  );
}
