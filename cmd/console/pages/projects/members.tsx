import { useQuery } from '@tanstack/react-query';
import type { Member } from '../../client/projects.js';
import { readMembers } from '../../client/projects.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { Fault } from '../../ui/fault.js';
import { Table } from '../../ui/table.js';
import { Tags } from '../../ui/tags.js';

/** Who is in a project, with all of their roles; asked anew with each version of the project. */
export function Members({ project, version }: { readonly project: string; readonly version: string }) {
  const texts = useTexts();
  const { data, error } = useQuery({
    queryKey: ['members', project, version],
    queryFn: ({ signal }) => readMembers(project, signal),
    placeholderData: (before) => before,
  });
  return (
    <section aria-labelledby="members">
      <h2 id="members">{texts.projects.members}</h2>
      <Fault error={error ?? undefined} />
      {data?.length === 0 && <p className="empty">{texts.projects.noMembers}</p>}
      <Table
        labelledBy="members"
        heads={[texts.projects.name, texts.projects.kind, texts.projects.role]}
        rows={(data ?? []).map((member) => rowOf(member, texts.projects))}
      />
    </section>
  );
}

const rowOf = (
  { kind = '', name = '', displayName, owner = false, clusterRoles = [] }: Member,
  { owner: own, kinds }: Texts['projects'],
) => ({
  key: `${kind}/${name}`,
  cells: [
    displayName ?? name,
    kinds[kind] ?? kind,
    <span key="roles">
      {owner && <span className="badge enabled">{own}</span>}
      <Tags texts={clusterRoles} />
    </span>,
  ],
});
