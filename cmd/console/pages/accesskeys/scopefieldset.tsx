import { SPACE, VIRTUAL_CLUSTER } from '../../client/instances.js';
import type { BuiltScope, ScopeFields } from '../../client/scopes/scopebuild.js';
import { useTexts } from '../../texts/texts.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { useInstanceNames, useProjectNames, useSecretNames } from '../../ui/suggest/useoffers.js';

export interface Props {
  readonly fields: ScopeFields;
  readonly bad: BuiltScope['bad'];
  readonly onChange: (fields: ScopeFields) => void;
}

/** The fields of a scope. */
export function ScopeFieldset({ fields, bad, onChange }: Props) {
  const { keys: texts } = useTexts();
  const field = (name: Exclude<keyof ScopeFields, 'platformCli'>) => ({
    value: fields[name],
    onChange: (typed: string) => onChange({ ...fields, [name]: typed }),
    several: true,
  });
  const spaces = useInstanceNames(SPACE.resource);
  const clusters = useInstanceNames(VIRTUAL_CLUSTER.resource);
  return (
    <fieldset className="nested">
      <legend className="visually-hidden">{texts.scopeSome}</legend>
      <SuggestField
        label={texts.scopeSecrets}
        hint={texts.scopeSecretsHint}
        suggestions={useSecretNames()}
        {...field('secrets')}
        errors={bad.secrets.map(texts.badSecret)}
      />
      <SuggestField
        label={texts.scopeProjects}
        hint={texts.scopeProjectsHint}
        suggestions={useProjectNames()}
        {...field('projects')}
      />
      <SuggestField
        label={texts.scopeSpaces}
        hint={texts.scopeSpacesHint}
        suggestions={spaces}
        {...field('spaces')}
        errors={bad.spaces.map(texts.badPair)}
      />
      <SuggestField
        label={texts.scopeVirtualClusters}
        hint={texts.scopeVirtualClustersHint}
        suggestions={clusters}
        {...field('virtualClusters')}
        errors={bad.virtualClusters.map(texts.badPair)}
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
