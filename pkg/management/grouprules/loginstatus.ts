/** What the status of a User says of the last login: which rules apply, and whether it has ended. */
import type { LoginRecord } from './claims.js';
import { isOpen } from './login.js';
import type { Given, RuleSet } from './ruleset.js';

export interface LoginState {
  readonly rules: Pick<RuleSet, 'given'>;
  /** Whether a key of a login is left. */
  readonly hasKey: boolean;
  /** ms since 1970. */
  readonly now: number;
}

/** The record as it should be. A login that has ended gives nothing, and is kept for rights that outlast logins. */
export function currentLogin(login: LoginRecord, { rules, hasKey, now }: LoginState): LoginRecord {
  const { rules: _rules, teams: _teams, ...kept } = login;
  if (!hasKey || !isOpen(login, now)) return { ...kept, ended: true };
  const given = rules.given(login);
  const teams = teamsIn(given);
  return {
    ...kept,
    ...(given.length > 0 && { rules: given.map(({ rule }) => rule) }),
    ...(teams.length > 0 && { teams }),
  };
}

const teamsIn = (given: readonly Given[]): string[] => [
  ...new Set(given.flatMap((one) => ('team' in one ? [one.team] : []))),
];
