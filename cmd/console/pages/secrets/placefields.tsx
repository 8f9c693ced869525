import { useTexts } from '../../texts/texts.js';
import { Radios } from '../../ui/fields/choice.js';
import { TextField } from '../../ui/fields/textfield.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { useProjectNames } from '../../ui/suggest/useoffers.js';

/** Where a new secret will be. */
export interface ChosenPlace {
  readonly where: 'shared' | 'project';
  readonly project: string;
  /** Of a shared secret. */
  readonly namespace: string;
}

export interface Props {
  readonly place: ChosenPlace;
  readonly onChange: (place: ChosenPlace) => void;
  /** About the namespace. */
  readonly errors: readonly string[];
}

/** The fields for the place of a new secret: shared, or in a project. */
export function PlaceFields({ place, onChange, errors }: Props) {
  const { secrets: texts } = useTexts();
  const projects = useProjectNames();
  return (
    <>
      <Radios
        label={texts.where}
        value={place.where}
        options={texts.wheres}
        onChange={(where) => onChange({ ...place, where })}
      />
      {place.where === 'project' ? (
        <SuggestField
          label={texts.project}
          value={place.project}
          onChange={(project) => onChange({ ...place, project })}
          suggestions={projects}
          errors={errors}
        />
      ) : (
        <details open={errors.length > 0}>
          <summary>{texts.namespaceOf(place.namespace)}</summary>
          <TextField
            label={texts.namespace}
            value={place.namespace}
            onChange={(namespace) => onChange({ ...place, namespace })}
            errors={errors}
          />
        </details>
      )}
    </>
  );
}
