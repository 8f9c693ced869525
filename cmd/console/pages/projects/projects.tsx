import { Link } from '@tanstack/react-router';
import { pathOf } from '../../client/paths.js';
import type { ProjectView } from '../../client/projects.js';
import { PROJECTS, projectForm } from '../../client/projects.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Commands } from '../../ui/commands.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';

/** The projects that the person may see. */
export function ProjectsPage() {
  const texts = useTexts();
  const state = useLive<ProjectView>(pathOf(PROJECTS), 'project', projectForm);
  const projects = [...state.items].sort((one, other) =>
    (one.metadata.name ?? '').localeCompare(other.metadata.name ?? ''),
  );
  return (
    <Page title={texts.projects.title}>
      <LiveNote state={state} />
      {projects.length === 0 && state.status === 'live' && <p className="empty">{texts.projects.none}</p>}
      <ul className="cards">
        {projects.map(({ metadata: { name = '', deletionTimestamp }, displayName, description }) => (
          <li className="card" key={name}>
            <h2>
              <Link to="/projects/$name" params={{ name }}>
                {displayName || name}
              </Link>
            </h2>
            {deletionTimestamp !== undefined && <span className="badge ended">{texts.projects.deleted}</span>}
            {displayName && displayName !== name && <p className="hint">{name}</p>}
            {description !== '' && <p>{description}</p>}
          </li>
        ))}
      </ul>
      <Commands lines={['kubectl get projects', 'platform list project']} />
    </Page>
  );
}
