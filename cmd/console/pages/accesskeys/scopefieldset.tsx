import type { BuiltScope, ScopeFields } from '../../client/scopebuild.js';
import { useTexts } from '../../texts/texts.js';
import { TextField } from '../../ui/textfield.js';

export interface Props {
  readonly fields: ScopeFields;
  readonly bad: BuiltScope['bad'];
  readonly onChange: (fields: ScopeFields) => void;
}

/** The parts of a scope. */
export function ScopeFieldset({ fields, bad, onChange }: Props) {
  const { keys: texts } = useTexts();
  return (
    <fieldset className="nested">
      <legend className="visually-hidden">{texts.scopeSome}</legend>
      <TextField
        label={texts.scopeProjects}
        hint={texts.scopeProjectsHint}
        value={fields.projects}
        onChange={(projects) => onChange({ ...fields, projects })}
      />
      <TextField
        label={texts.scopeSpaces}
        hint={texts.scopeSpacesHint}
        value={fields.spaces}
        errors={bad.spaces.map(texts.badPair)}
        onChange={(spaces) => onChange({ ...fields, spaces })}
      />
      <TextField
        label={texts.scopeVirtualClusters}
        hint={texts.scopeVirtualClustersHint}
        value={fields.virtualClusters}
        errors={bad.virtualClusters.map(texts.badPair)}
        onChange={(virtualClusters) => onChange({ ...fields, virtualClusters })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={fields.platformCli}
          onChange={(event) => onChange({ ...fields, platformCli: event.target.checked })}
        />
        {texts.scopeCli}
      </label>
    </fieldset>
  );
}
