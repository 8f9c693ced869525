import type { Share } from '../../client/access.js';
import { useTexts } from '../../texts/texts.js';
import { Radios } from '../../ui/fields/choice.js';
import { namesOf } from '../../ui/names.js';
import { SuggestField } from '../../ui/suggest/suggestfield.js';
import { usePeople } from '../../ui/suggest/useoffers.js';
import { SHARED_VERBS, type Level } from './access.js';

/** Whom a secret is shared with, as it is typed. */
export interface TypedShare {
  readonly users: string;
  readonly teams: string;
  readonly level: Level;
}

export const NO_SHARE: TypedShare = { users: '', teams: '', level: 'read' };

/** Undefined: it is shared with nobody. */
export function shareOf({ users, teams, level }: TypedShare): Share | undefined {
  const share = { users: namesOf(users), teams: namesOf(teams), verbs: SHARED_VERBS[level] };
  return share.users.length + share.teams.length === 0 ? undefined : share;
}

export interface Props {
  readonly typed: TypedShare;
  readonly onChange: (typed: TypedShare) => void;
  readonly errors: readonly string[];
  readonly autoFocus?: boolean;
}

/** The fields for users and teams, and what they may do once somebody is named. */
export function ShareFields({ typed, onChange, errors, autoFocus = false }: Props) {
  const { secrets: texts } = useTexts();
  return (
    <>
      <SuggestField
        label={texts.users}
        hint={texts.namesHint}
        value={typed.users}
        onChange={(users) => onChange({ ...typed, users })}
        suggestions={usePeople('User')}
        autoFocus={autoFocus}
        several={true}
        errors={errors}
      />
      <SuggestField
        label={texts.teams}
        value={typed.teams}
        onChange={(teams) => onChange({ ...typed, teams })}
        several={true}
        suggestions={usePeople('Team')}
      />
      {shareOf(typed) !== undefined && (
        <Radios
          label={texts.rights}
          value={typed.level}
          options={texts.verbs}
          onChange={(level) => onChange({ ...typed, level })}
        />
      )}
    </>
  );
}
