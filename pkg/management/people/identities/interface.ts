/** Users and teams by name, independent of their storage. */

export interface KnownUser {
  readonly uid: string;
  readonly disabled: boolean;
  /** Whether the object is being deleted. */
  readonly ends?: true;
  /** Direct endpoint tokens of earlier generations have ended. */
  readonly tokenGeneration: number;
  /** All groups that requests of the user are in, `system:authenticated` among them. */
  readonly groups: readonly string[];
  /** Names of the teams that the user is a member of, in order. */
  readonly teams: readonly string[];
  /** What group rules gave at the last login, even if that has ended. */
  readonly lastLogin?: { readonly groups: readonly string[]; readonly time: number };
}

export interface KnownTeam {
  readonly uid: string;
  readonly groups: readonly string[];
}

/** Answers from memory, as current as the caches. The same answer is the same object until something changes. */
export interface Identities {
  user(name: string): KnownUser | undefined;
  team(name: string): KnownTeam | undefined;
}
