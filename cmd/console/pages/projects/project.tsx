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
import { DeleteObject } from '../object/deleteobject.js';
import { ListCard } from '../object/listcard.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';
import { Members } from './members.js';
import { ProjectKeys } from './projectkeys.js';
import { AllowedClusters } from './allowedclusters.js';
import { ProjectSecrets } from './projectsecrets.js';
import { Quotas } from './quotas.js';
import { Suspense, useState } from 'react';
import { SPACE } from '../../client/instances.js';
import { useMay } from '../../client/reviews.js';
import { lazyPart } from '../../shell/lazypart.js';
import { Button } from '../../ui/button.js';

const INSTANCES = ['spaceinstances', 'virtualclusterinstances'] as const;
const RESOURCES = ['sharedsecrets', 'projectsecrets', ...INSTANCES] as const;

const EditProject = lazyPart(() => import('./editproject.js'), 'EditProject');
const CreateSpace = lazyPart(() => import('../instances/createspace.js'), 'CreateSpace');

/** One project: its secrets, spaces, quotas, members, keys and allowed clusters. */
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
        <>
          <EditButton project={project} />
          <DeleteObject
            resource={PROJECTS}
            metadata={metadata}
            question={texts.list.deleteQuestion(name)}
            onDeleted={() => Promise.resolve()}
          />
        </>
      }
    >
      <ObjectHead resource={PROJECTS} object={project} state={state} holds={namespace ?? ''} />
      {deletionTimestamp !== undefined && <span className="badge ended">{texts.deleted}</span>}
      <Content project={project} namespace={namespace} />
      <Members project={project} />
      <ProjectKeys project={project} />
      <AllowedClusters project={project} />
      <Conditions conditions={project.conditions} />
      <ObjectEnd resource={PROJECTS} metadata={metadata} commands={[getCommand('project', name)]} />
    </Page>
  );
}

function EditButton({ project }: { readonly project: ProjectView }) {
  const { actions } = useTexts();
  const [asked, setAsked] = useState(false);
  const { name = '', resourceVersion = '', deletionTimestamp } = project.metadata;
  const mayPatch = useMay({ verb: 'patch', resource: PROJECTS, namespace: '', name }, resourceVersion);
  if (!mayPatch || deletionTimestamp !== undefined) return null;
  return (
    <>
      <Button onPress={() => setAsked(true)}>{actions.edit}</Button>
      <Suspense fallback={null}>
        {asked && <EditProject project={project} onClose={() => setAsked(false)} />}
      </Suspense>
    </>
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
      {namespace !== undefined && (
        <ProjectSecrets
          project={project.metadata.name ?? ''}
          namespace={namespace}
          own={secrets}
          shared={shared}
        />
      )}
      <section aria-labelledby="content-of">
        <div className="section-head">
          <h2 id="content-of">{texts.projects.instances}</h2>
          {namespace !== undefined && <NewSpace project={project} namespace={namespace} />}
        </div>
        <div className="cards">
          {INSTANCES.map((resource) => (
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

interface NewSpaceProps {
  readonly project: ProjectView;
  readonly namespace: string;
}

function NewSpace({ project, namespace }: NewSpaceProps) {
  const { spaces } = useTexts().instances;
  const [asked, setAsked] = useState(false);
  const may = useMay({ verb: 'create', resource: SPACE.resource, namespace, name: '' });
  if (!may || project.metadata.deletionTimestamp !== undefined) return null;
  return (
    <>
      <Button onPress={() => setAsked(true)}>{spaces.create}</Button>
      <Suspense fallback={null}>
        {asked && <CreateSpace projects={[project]} onClose={() => setAsked(false)} />}
      </Suspense>
    </>
  );
}
