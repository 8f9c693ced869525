import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { getCommand } from '../../client/commands/pagecommands.js';
import { useCommand } from '../../client/commands/placecommands.js';
import {
  instanceForm,
  SPACE,
  VIRTUAL_CLUSTER,
  type InstanceKind,
  type InstanceView,
} from '../../client/instances.js';
import { onePath } from '../../client/one.js';
import type { LiveState } from '../../live/livelist.js';
import { useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { projectOf, useNamespacePrefix } from '../../client/useprefix.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Conditions } from '../../ui/conditions.js';
import { Facts } from '../../ui/facts.js';
import { NotShown } from '../../ui/notshown.js';
import { Page } from '../../ui/page.js';
import { Phase } from '../../ui/phase.js';
import { When } from '../../ui/when.js';
import { DeleteObject } from '../object/deleteobject.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';
import { ObjectLink } from '../object/objectlink.js';
import { KubeConfig } from './kubeconfig.js';
import { NoCluster } from './nocluster.js';
import { MoveSpace } from './movespace.js';
import { CommandLine } from '../../ui/commands.js';

/** One space, live. */
export const SpacePage = () => <Instance {...useParams({ from: '/spaces/$namespace/$name' })} of={SPACE} />;

/** One virtual cluster, live. */
export const VirtualClusterPage = () => (
  <Instance {...useParams({ from: '/virtualclusters/$namespace/$name' })} of={VIRTUAL_CLUSTER} />
);

interface Props {
  readonly of: InstanceKind;
  readonly namespace: string;
  readonly name: string;
}

function Instance({ of, namespace, name }: Props) {
  const state = useLive<InstanceView>(onePath(of.resource, namespace, name), 'instance', instanceForm);
  const [view] = state.items;
  return view === undefined ? (
    <NotShown name={name} state={state} />
  ) : (
    <Shown of={of} view={view} state={state} />
  );
}

interface ShownProps {
  readonly of: InstanceKind;
  readonly view: InstanceView;
  readonly state: LiveState<unknown>;
}

function Shown({ of, view, state }: ShownProps) {
  const { metadata, phase, reason, message } = view;
  const { name = '', namespace = '', deletionTimestamp } = metadata;
  const prefix = useNamespacePrefix();
  const project = projectOf(namespace, prefix);
  const { instances: texts } = useTexts();
  const waits = waitsForCluster(of, view);
  const shownPhase = deletionTimestamp === undefined ? phase : 'Terminating';
  return (
    <Page
      title={view.displayName || name}
      actions={<Actions of={of} view={view} project={project} prefix={prefix} />}
    >
      <ObjectHead resource={of.resource} object={view} state={state} />
      <p className="state" role="status">
        <Phase phase={shownPhase} reason={reason} /> {waits ? texts.waitsForCluster : message}
      </p>
      <WhatNext of={of} view={view} project={project} />
      <InstanceFacts view={view} project={project} />
      <Conditions conditions={view.conditions} />
      <ObjectEnd
        resource={of.resource}
        metadata={metadata}
        commands={commandsOf(of, name, namespace, project)}
      />
    </Page>
  );
}

function commandsOf(of: InstanceKind, name: string, namespace: string, project: string): string[] {
  return [
    getCommand(of.resource, name, namespace),
    ...(project === '' ? [] : [useCommand(of.noun, name, project)]),
  ];
}

function InstanceFacts({ view, project }: { readonly view: InstanceView; readonly project: string }) {
  const { columns } = useTexts().instances;
  const { clusterRef, owner, metadata } = view;
  const { cluster = '' } = clusterRef;
  return (
    <Facts
      facts={[
        [columns.project, project && <ObjectLink key="project" resource="projects" name={project} />],
        [columns.cluster, cluster && <ObjectLink key="cluster" resource="clusters" name={cluster} />],
        [columns.namespace, clusterRef.namespace ?? ''],
        [columns.virtualCluster, clusterRef.virtualCluster ?? ''],
        [columns.owner, owner.user || owner.team || ''],
        [columns.age, <When key="age" at={Date.parse(metadata.creationTimestamp ?? '')} />],
      ]}
    />
  );
}

interface ActionsProps {
  readonly of: InstanceKind;
  readonly view: InstanceView;
  readonly project: string;
  readonly prefix: string | undefined;
}

/** The actions that the user may do with the instance. */
function Actions({ of, view: { metadata, ingress }, project, prefix }: ActionsProps) {
  const texts = useTexts();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'move' | 'kubeconfig'>();
  const { name = '', namespace = '', resourceVersion, deletionTimestamp } = metadata;
  const object = { resource: of.resource, namespace, name };
  const mayUse = useMay({ verb: 'use', ...object }, resourceVersion);
  const mayDelete = useMay({ verb: 'delete', ...object }, resourceVersion);
  const isSpace = of.kind === 'SpaceInstance';
  const movable = isSpace && mayUse && mayDelete && deletionTimestamp === undefined;
  const close = (): void => setAsked(undefined);
  return (
    <>
      {ingress && mayUse && (
        <Button look="main" onPress={() => setAsked('kubeconfig')}>
          {texts.instances.kubeConfig}
        </Button>
      )}
      {movable && <Button onPress={() => setAsked('move')}>{texts.instances.move}</Button>}
      <DeleteObject
        resource={of.resource}
        metadata={metadata}
        question={texts.instances[of.texts].deleteQuestion(name)}
        onDeleted={() => navigate({ to: isSpace ? '/spaces' : '/virtualclusters' })}
      />
      {asked === 'kubeconfig' && <KubeConfig metadata={metadata} project={project} onClose={close} />}
      {asked === 'move' && prefix !== undefined && (
        <MoveSpace metadata={metadata} project={project} prefix={prefix} onClose={close} />
      )}
    </>
  );
}

/** Whether this is a space that is on no cluster. */
const waitsForCluster = (of: InstanceKind, { phase, clusterRef, metadata }: InstanceView): boolean =>
  of.kind === 'SpaceInstance' &&
  phase === 'Pending' &&
  (clusterRef.cluster ?? '') === '' &&
  metadata.deletionTimestamp === undefined;

interface WhatNextProps {
  readonly of: InstanceKind;
  readonly view: InstanceView;
  /** Empty until it is known. */
  readonly project: string;
}

/** Why an instance is not ready, if the server gives no message, and how to use the instance when it is ready. */
function WhatNext({ of, view, project }: WhatNextProps) {
  const { metadata, phase, message, clusterRef, ingress } = view;
  const { instances: texts } = useTexts();
  const { name = '', deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined || project === '') return null;
  if (phase === 'Ready')
    return (
      <>
        <p className="hint">{of.kind === 'SpaceInstance' || ingress ? texts.use : texts.useByAgent}</p>
        <CommandLine line={useCommand(of.noun, name, project)} />
      </>
    );
  if (waitsForCluster(of, view)) return <NoCluster view={view} project={project} />;
  const isPrepared = phase === 'Pending' && message === '' && (clusterRef.cluster ?? '') !== '';
  return isPrepared ? <p className="hint">{texts.prepared}</p> : null;
}
