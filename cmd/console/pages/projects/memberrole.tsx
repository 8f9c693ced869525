import type { Role } from '../../client/projectedits/projectmembers.js';
import { ROLE_PREFIX } from '../../client/projectedits/projectmembers.js';
import { useTexts } from '../../texts/texts.js';
import { Radios } from '../../ui/fields/choice.js';
import { namesOf } from '../../ui/names.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { useClusterRoles } from '../../ui/suggest/useoffers.js';

/** One of the roles that every server has, or others by their names. */
export interface ChosenRole {
  readonly role: Role | 'other';
  /** Names of ClusterRoles as they were typed, for `other`. */
  readonly typed: string;
}

/** The ClusterRoles that are meant. The server says what is wrong with one that is empty. */
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

/** What a member may do. */
export function MemberRole({ chosen, errors, onChange }: Props) {
  const { membership: texts } = useTexts();
  const isOther = chosen.role === 'other';
  return (
    <>
      <Radios
        {...{ label: texts.role, value: chosen.role, options: texts.roles }}
        onChange={(role) => onChange({ ...chosen, role })}
      />
      {isOther && (
        <ClusterRoles
          {...{ value: chosen.typed, errors }}
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

/** Listed when they are asked for. */
function ClusterRoles(props: RolesProps) {
  const { membership: texts } = useTexts();
  const suggestions = useClusterRoles();
  return (
    <SuggestField
      {...{ label: texts.clusterRoles, hint: texts.clusterRolesHint, suggestions, ...props }}
      several
    />
  );
}
