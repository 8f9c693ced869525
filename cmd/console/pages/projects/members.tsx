import { useQuery } from '@tanstack/react-query';
import { readMembers } from '../../client/projects.js';
import { useTexts } from '../../texts/texts.js';
import { Fault } from '../../ui/fault.js';

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
      <div className="scroll" tabIndex={0} role="group" aria-labelledby="members">
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.projects.name}</th>
              <th scope="col">{texts.projects.kind}</th>
              <th scope="col">{texts.projects.role}</th>
            </tr>
          </thead>
          <tbody>
            {data?.map(({ kind = '', name = '', displayName, owner = false, clusterRoles = [] }) => (
              <tr key={`${kind}/${name}`}>
                <td>{displayName ?? name}</td>
                <td>{kind}</td>
                <td>
                  {owner && <span className="badge enabled">{texts.projects.owner}</span>}
                  {clusterRoles.map((role) => (
                    <code className="tag" key={role}>
                      {role}
                    </code>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
