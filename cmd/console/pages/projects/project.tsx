import { Link, useParams } from '@tanstack/react-router';
import { command } from '../../client/commands.js';
import type { Row } from '../../client/forms.js';
import { tableRows } from '../../client/forms.js';
import { SPACE, VIRTUAL_CLUSTER } from '../../client/instances.js';
import type { LiveState } from '../../live/livelist.js';
import { onePath } from '../../client/one.js';
import { pathOf } from '../../client/paths.js';
import type { ProjectView, Usage } from '../../client/projects.js';
import { projectForm, PROJECTS, usageOf } from '../../client/projects.js';
import { useLive } from '../../live/uselive.js';
import { useNamespacePrefix } from '../../client/useprefix.js';
import { useTexts } from '../../texts/texts.js';
import { Conditions } from '../../ui/conditions.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';
import { DeleteObject } from '../object/deleteobject.js';
import { ObjectEnd } from '../object/objectend.js';
import { WhyNotDeleted } from '../object/whynotdeleted.js';
import { InstanceLink } from '../instances/instancelink.js';
import { Members } from './members.js';

const RESOURCES = ['sharedsecrets', 'projectsecrets', 'spaceinstances', 'virtualclusterinstances'] as const;
type Resource = (typeof RESOURCES)[number];

/** One project: who is in it, how much of it is used, where it may run, what it holds. */
export function ProjectPage() {
  const texts = useTexts();
  const { name } = useParams({ from: '/projects/$name' });
  const state = useLive<ProjectView>(onePath(PROJECTS, '', name), 'project', projectForm);
  const [project] = state.items;
  return (
    <Page
      title={project?.displayName || name}
      actions={
        project !== undefined && (
          <DeleteObject
            {...{ resource: PROJECTS, metadata: project.metadata }}
            question={texts.projects.deleteQuestion(name)}
            onDeleted={() => Promise.resolve()}
          />
        )
      }
    >
      <LiveNote state={state} />
      {project === undefined && state.status === 'live' && <p className="empty">{texts.state.notFound}</p>}
      {project !== undefined && <Shown project={project} />}
    </Page>
  );
}

function Shown({ project }: { readonly project: ProjectView }) {
  const texts = useTexts();
  const { name = '', resourceVersion = '', deletionTimestamp } = project.metadata;
  const prefix = useNamespacePrefix();
  const namespace = prefix === undefined ? undefined : prefix + name;
  return (
    <>
      <p className="hint">
        {name}
        {deletionTimestamp !== undefined && <span className="badge ended">{texts.projects.deleted}</span>}
      </p>
      {project.description !== '' && <p>{project.description}</p>}
      <WhyNotDeleted metadata={project.metadata} holds={namespace ?? ''} />
      <Content project={project} namespace={namespace} />
      <Members project={name} version={resourceVersion} />
      <section aria-labelledby="clusters">
        <h2 id="clusters">{texts.projects.clusters}</h2>
        {project.clusters.length === 0 && <p className="empty">{texts.projects.noClusters}</p>}
        <p>
          {project.clusters.map((cluster) => (
            <code className="tag" key={cluster}>
              {cluster === '*' ? texts.projects.allClusters : cluster}
            </code>
          ))}
        </p>
      </section>
      <Conditions conditions={project.conditions} />
      <ObjectEnd
        resource={PROJECTS}
        metadata={project.metadata}
        commands={[command('kubectl', 'get', 'project', name, '--output', 'yaml')]}
      />
    </>
  );
}

/** Counted live, one list for each resource; the quotas are bars of these counts. */
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
  const usage = usageOf(project, counts);
  return (
    <>
      <Quotas usage={usage} />
      <section aria-labelledby="content-of">
        <h2 id="content-of">{texts.projects.content}</h2>
        <div className="cards">
          {RESOURCES.map((resource) => (
            <Held key={resource} resource={resource} state={lists[resource]} />
          ))}
        </div>
      </section>
    </>
  );
}

function Quotas({ usage }: { readonly usage: readonly Usage[] }) {
  const texts = useTexts();
  return (
    <section aria-labelledby="quotas">
      <h2 id="quotas">{texts.projects.quotas}</h2>
      {usage.length === 0 && <p className="empty">{texts.projects.noQuotas}</p>}
      <ul className="quotas">
        {usage.map(({ name, used, most }) => (
          <li key={name}>
            <span>{name}</span>
            <meter
              aria-label={name}
              min={0}
              max={Math.max(most, used, 1)}
              high={most * 0.8}
              optimum={0}
              value={used}
            />
            <span>{texts.projects.used(used, most)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What there is of one resource; the first of many. */
function Held({ resource, state }: { readonly resource: Resource; readonly state: LiveState<Row> }) {
  const texts = useTexts();
  return (
    <div className="card">
      <h3>
        {texts.projects.resources[resource]} ({state.items.length})
      </h3>
      <LiveNote state={state} />
      <ul className="plain">
        {state.items.slice(0, 20).map(({ metadata: { namespace: at = '', name = '' } }) => (
          <li key={name}>
            <HeldLink resource={resource} namespace={at} name={name} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface HeldLinkProps {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}

/** To its page, where it has one. */
function HeldLink({ resource, namespace, name }: HeldLinkProps) {
  switch (resource) {
    case 'sharedsecrets':
      return (
        <Link to="/secrets/$namespace/$name" params={{ namespace, name }}>
          {name}
        </Link>
      );
    case 'spaceinstances':
      return <InstanceLink of={SPACE} namespace={namespace} name={name} />;
    case 'virtualclusterinstances':
      return <InstanceLink of={VIRTUAL_CLUSTER} namespace={namespace} name={name} />;
    case 'projectsecrets':
      return name;
  }
}
