import { useParams } from '@tanstack/react-router';
import { getCommand } from '../../client/commands/pagecommands.js';
import { tableRows, type Row } from '../../client/forms.js';
import { onePath } from '../../client/one.js';
import { pathOf } from '../../client/paths.js';
import { projectForm, PROJECTS, type ProjectView } from '../../client/projects.js';
import type { LiveState } from '../../live/livelist.js';
import { useLive } from '../../live/uselive.js';
import { useNamespacePrefix } from '../../client/useprefix.js';
import { useTexts } from '../../texts/texts.js';
import { Conditions } from '../../ui/conditions.js';
import { NotShown } from '../../ui/notshown.js';
import { Page } from '../../ui/page.js';
import { Tags } from '../../ui/tags.js';
import { DeleteObject } from '../object/deleteobject.js';
import { ListCard } from '../object/listcard.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';
import { Members } from './members.js';
import { ProjectKeys } from './projectkeys.js';
import { Quotas } from './quotas.js';

const RESOURCES = ['sharedsecrets', 'projectsecrets', 'spaceinstances', 'virtualclusterinstances'] as const;

/** One project: its members, quotas, allowed clusters and content. */
export function ProjectPage() {
  const { name } = useParams({ from: '/projects/$name' });
  const state = useLive<ProjectView>(onePath(PROJECTS, '', name), 'project', projectForm);
  const [project] = state.items;
  return project === undefined ? (
    <NotShown name={name} state={state} />
  ) : (
    <Shown project={project} state={state} />
  );
}

function Shown({ project, state }: { readonly project: ProjectView; readonly state: LiveState<unknown> }) {
  const { projects: texts } = useTexts();
  const { metadata } = project;
  const { name = '', deletionTimestamp } = metadata;
  const prefix = useNamespacePrefix();
  const namespace = prefix === undefined ? undefined : prefix + name;
  return (
    <Page
      title={project.displayName || name}
      actions={
        <DeleteObject
          resource={PROJECTS}
          metadata={metadata}
          question={texts.list.deleteQuestion(name)}
          onDeleted={() => Promise.resolve()}
        />
      }
    >
      <ObjectHead resource={PROJECTS} object={project} state={state} holds={namespace ?? ''} />
      {deletionTimestamp !== undefined && <span className="badge ended">{texts.deleted}</span>}
      <Content project={project} namespace={namespace} />
      <Members project={project} />
      <ProjectKeys project={project} />
      <section aria-labelledby="clusters">
        <h2 id="clusters">{texts.clusters}</h2>
        {project.clusters.length === 0 && <p className="empty">{texts.noClusters}</p>}
        <p>
          <Tags texts={project.clusters.map((one) => (one === '*' ? texts.allClusters : one))} />
        </p>
      </section>
      <Conditions conditions={project.conditions} />
      <ObjectEnd resource={PROJECTS} metadata={metadata} commands={[getCommand('project', name)]} />
    </Page>
  );
}

/** The objects of the project. Each resource is listed live, and these lists are the counts of the quotas. */
function Content({
  project,
  namespace,
}: {
  readonly project: ProjectView;
  readonly namespace: string | undefined;
}) {
  const texts = useTexts();
  const within = (resource: string): string | undefined =>
    namespace === undefined ? undefined : pathOf(resource, namespace);
  const shared = useLive<Row>(within('sharedsecrets'), 'table', tableRows);
  const secrets = useLive<Row>(within('projectsecrets'), 'table', tableRows);
  const spaces = useLive<Row>(within('spaceinstances'), 'table', tableRows);
  const clusters = useLive<Row>(within('virtualclusterinstances'), 'table', tableRows);
  const lists = {
    sharedsecrets: shared,
    projectsecrets: secrets,
    spaceinstances: spaces,
    virtualclusterinstances: clusters,
  };
  const counts = Object.fromEntries(RESOURCES.map((resource) => [resource, lists[resource].items.length]));
  return (
    <>
      <section aria-labelledby="content-of">
        <h2 id="content-of">{texts.projects.content}</h2>
        <div className="cards">
          {RESOURCES.map((resource) => (
            <ListCard
              key={resource}
              title={texts.projects.resources[resource]}
              resource={resource}
              state={lists[resource]}
              {...(namespace !== undefined && { search: `${namespace}/` })}
            />
          ))}
        </div>
      </section>
      <Quotas project={project} counts={counts} />
    </>
  );
}
