import type { Person } from '../../client/projectedits/projectmembers.js';
import { useTexts } from '../../texts/texts.js';
import { Facts } from '../../ui/facts.js';
import { Tags } from '../../ui/tags.js';

export interface Props {
  readonly person: Person;
  /** The ClusterRoles before the change; empty: no member. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The effect of a change on one member. */
export function MemberChange({ person: { kind, name }, before, after }: Props) {
  const { membership: texts } = useTexts();
  const shown = (roles: readonly string[]) =>
    roles.length === 0 ? texts.noMember : <Tags key="roles" texts={roles} />;
  if (name === '' || after.includes('')) return null;
  return (
    <>
      <h3>{texts.result}</h3>
      <Facts
        facts={[
          [texts.person, texts.who(kind, name)],
          [texts.before, shown(before)],
          [texts.after, shown(after)],
        ]}
      />
    </>
  );
}
