import type { NewPlace } from '../../client/newkeys/keyplace.js';
import { ROLE_PREFIX, roleOf } from '../../client/projectedits/projectroles.js';
import { useTexts } from '../../texts/texts.js';
import { Radios } from '../../ui/fields/choice.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import type { ProjectView } from '../../client/projects.js';

export interface Props {
  readonly place: NewPlace;
  /** Those that are suggested. */
  readonly projects: readonly ProjectView[];
  readonly onChange: (place: NewPlace) => void;
  /** Called with the name of a project that is whole: there is one of that name, or the field was left. */
  readonly onProject: (project: string) => void;
}

/** The project of a key, and its role there. */
export function KeyPlaceFields({ place, projects, onChange, onProject }: Props) {
  const { keys: texts, membership } = useTexts();
  const suggestions = projects.map(({ metadata: { name = '' }, displayName }) => ({
    id: name,
    text: displayName,
  }));
  const { viewer, user, admin } = membership.roles;
  return (
    <>
      <SuggestField
        label={texts.project}
        hint={texts.projectHint}
        suggestions={suggestions}
        value={place.project}
        onChange={(project) => {
          onChange({ ...place, project });
          if (suggestions.some(({ id }) => id === project)) onProject(project);
        }}
        onLeave={() => onProject(place.project)}
      />
      <Radios
        label={membership.role}
        value={roleOf([place.clusterRole])}
        options={{ viewer, user, admin }}
        onChange={(role) => onChange({ ...place, clusterRole: ROLE_PREFIX + role })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={place.endsWithMaker}
          onChange={(event) => onChange({ ...place, endsWithMaker: event.target.checked })}
        />
        {texts.endsWithMe}
      </label>
    </>
  );
}
