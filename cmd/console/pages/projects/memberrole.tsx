import { ROLE_PREFIX, type Role } from '../../client/projectedits/projectroles.js';
import { useTexts } from '../../texts/texts.js';
import { Radios } from '../../ui/fields/choice.js';
import { namesOf } from '../../ui/names.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { useClusterRoles } from '../../ui/suggest/useoffers.js';

/** One of the default roles, or other roles by their names. */
export interface ChosenRole {
  readonly role: Role | 'other';
  /** For `other`: the names of ClusterRoles as they were typed. */
  readonly typed: string;
}

/** The selected ClusterRoles. An empty name is sent, too, so that the server reports the error. */
export function clusterRolesOf({ role, typed }: ChosenRole): readonly string[] {
  if (role !== 'other') return [ROLE_PREFIX + role];
  const names = namesOf(typed);
  return names.length === 0 ? [''] : names;
}

export interface Props {
  readonly chosen: ChosenRole;
  readonly errors: readonly string[];
  readonly onChange: (chosen: ChosenRole) => void;
}

/** The fields for the role of a member. */
export function MemberRole({ chosen, errors, onChange }: Props) {
  const { membership: texts } = useTexts();
  const isOther = chosen.role === 'other';
  return (
    <>
      <Radios
        label={texts.role}
        value={chosen.role}
        options={texts.roles}
        onChange={(role) => onChange({ ...chosen, role })}
      />
      {isOther && (
        <ClusterRoles
          value={chosen.typed}
          errors={errors}
          onChange={(typed) => onChange({ ...chosen, typed })}
        />
      )}
      {!isOther && errors.length > 0 && <p className="fault">{errors.join(' ')}</p>}
    </>
  );
}

type RolesProps = Pick<Props, 'errors'> & {
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** Lists the ClusterRoles when the field is shown. */
function ClusterRoles(props: RolesProps) {
  const { membership: texts } = useTexts();
  const suggestions = useClusterRoles();
  return (
    <SuggestField
      label={texts.clusterRoles}
      hint={texts.clusterRolesHint}
      suggestions={suggestions}
      {...props}
      several
    />
  );
}
