import type { NewPlace } from '../../client/newkeys/keyplace.js';
import { ROLE_PREFIX, roleOf } from '../../client/projectedits/projectroles.js';
import { useTexts } from '../../texts/texts.js';
import { Radios } from '../../ui/fields/choice.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { useProjectNames } from '../../ui/suggest/useoffers.js';

export interface Props {
  readonly place: NewPlace;
  readonly onChange: (place: NewPlace) => void;
  /** Called with the name of a project that is whole: there is one of that name, or the field was left. */
  readonly onProject: (project: string) => void;
}

/** The project of a key, and its role there. */
export function KeyPlaceFields({ place, onChange, onProject }: Props) {
  const { keys: texts, membership } = useTexts();
  const projects = useProjectNames();
  const { viewer, user, admin } = membership.roles;
  return (
    <>
      <SuggestField
        label={texts.project}
        hint={texts.projectHint}
        suggestions={projects}
        value={place.project}
        onChange={(project) => {
          onChange({ ...place, project });
          if (projects.some(({ id }) => id === project)) onProject(project);
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
