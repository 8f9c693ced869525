import { useMemo } from 'react';
import { tableRows } from '../../client/forms.js';
import { pathOf } from '../../client/paths.js';
import { TEAMS, USERS } from '../../client/people.js';
import type { Person } from '../../client/projectedits/projectmembers.js';
import type { Suggestion } from '../../client/projectedits/suggestions.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';

/** Who may be a member: the users or the teams that the person sees, and everyone. */
export function usePeople(kind: Person['kind']): readonly Suggestion[] {
  const { membership: texts } = useTexts();
  const { items } = useLive(pathOf(kind === 'User' ? USERS : TEAMS), 'table', tableRows);
  return useMemo(() => {
    const named = items.map(({ metadata: { name = '' }, cells }) => ({
      ...{ id: name, text: cells['Display Name'] ?? '' },
    }));
    named.sort((one, other) => one.id.localeCompare(other.id));
    return kind === 'User' ? [...named, { id: '*', text: texts.everyone }] : named;
  }, [items, kind, texts]);
}
