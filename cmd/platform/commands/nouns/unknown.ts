import type { Cli } from '../../cli.js';
import { type Client, ifFound } from '../../connection/client.js';
import { Failure } from '../../failure.js';

/** Whom and what a command names. */
export interface Named {
  readonly users?: readonly string[];
  readonly teams?: readonly string[];
  readonly projects?: readonly string[];
}

/** Warns of users, teams and projects that do not exist: a right for a name that was misspelled may be somebody else's one day. */
export async function warnOfUnknownNames(
  { terminal }: Cli,
  client: Client,
  { users = [], teams = [], projects = [] }: Named,
): Promise<void> {
  const asked = [
    ...users.map((name) => ({ resource: 'users', name, word: 'user' })),
    ...teams.map((name) => ({ resource: 'teams', name, word: 'team' })),
    ...projects.map((name) => ({ resource: 'projects', name, word: 'project' })),
  ];
  for (const { resource, name, word } of asked)
    if (name !== '*' && !(await mayExist(client, { resource, name })))
      terminal.tell(`Warning: there is no ${word} "${name}"; see "platform list ${word}s"`);
}

/** Who may not see users is told nothing of them. */
async function mayExist(client: Client, place: { resource: string; name: string }): Promise<boolean> {
  try {
    return (await ifFound(client.get(place))) !== undefined;
  } catch (error) {
    if (error instanceof Failure) return true;
    throw error;
  }
}
