import { useNavigate, useParams } from '@tanstack/react-router';
import { clusterForm, CLUSTERS, type ClusterView } from '../../client/clusters.js';
import { getCommand } from '../../client/commands/pagecommands.js';
import { tableRows, type Row } from '../../client/forms.js';
import { SPACE, VIRTUAL_CLUSTER, type InstanceKind } from '../../client/instances.js';
import type { LiveState } from '../../live/livelist.js';
import { onePath } from '../../client/one.js';
import { pathOf, withQuery } from '../../client/paths.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Conditions } from '../../ui/conditions.js';
import { Facts } from '../../ui/facts.js';
import { NotShown } from '../../ui/notshown.js';
import { Page } from '../../ui/page.js';
import { Phase } from '../../ui/phase.js';
import { When } from '../../ui/when.js';
import { DeleteObject } from '../object/deleteobject.js';
import { ListCard } from '../object/listcard.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';

/** One connected cluster, live: whether it responds, why not, and the instances on it. */
export function ClusterPage() {
  const { name } = useParams({ from: '/clusters/$name' });
  const state = useLive<ClusterView>(onePath(CLUSTERS, '', name), 'cluster', clusterForm);
  const [cluster] = state.items;
  return cluster === undefined ? (
    <NotShown name={name} state={state} />
  ) : (
    <Shown cluster={cluster} state={state} />
  );
}

function Shown({ cluster, state }: { readonly cluster: ClusterView; readonly state: LiveState<unknown> }) {
  const { clusters: texts } = useTexts();
  const navigate = useNavigate();
  const { metadata, phase, reason, message } = cluster;
  const { name = '', creationTimestamp = '' } = metadata;
  return (
    <Page
      title={cluster.displayName || name}
      actions={
        <DeleteObject
          resource={CLUSTERS}
          metadata={metadata}
          question={texts.deleteQuestion(name)}
          onDeleted={() => navigate({ to: '/clusters' })}
        />
      }
    >
      <ObjectHead resource={CLUSTERS} object={cluster} state={state} />
      <p className="state" role="status">
        <Phase phase={phase} reason={reason} /> {message}
      </p>
      <Facts
        facts={[
          [texts.columns.online, cluster.online ? texts.online : texts.offline],
          [texts.columns.version, cluster.version],
          [texts.columns.latency, cluster.latency === undefined ? '' : texts.milliseconds(cluster.latency)],
          [texts.columns.agent, cluster.agent === undefined ? texts.noAgent : texts.agent(cluster.agent)],
          [texts.columns.usable, cluster.unusable ? texts.unusable : texts.usable],
          [texts.columns.secret, cluster.secret || texts.noSecret],
          [texts.columns.owner, cluster.owner],
          [texts.columns.age, <When key="age" at={Date.parse(creationTimestamp)} />],
        ]}
      />
      <Conditions conditions={cluster.conditions} />
      <div className="cards">
        <On of={SPACE} cluster={name} />
        <On of={VIRTUAL_CLUSTER} cluster={name} />
      </div>
      <ObjectEnd
        resource={CLUSTERS}
        metadata={metadata}
        commands={[getCommand('clusters.management.svc.example', name)]}
      />
    </Page>
  );
}

/** The instances of one kind on the cluster. */
function On({ of, cluster }: { readonly of: InstanceKind; readonly cluster: string }) {
  const texts = useTexts();
  const path = withQuery(pathOf(of.resource), { fieldSelector: `spec.clusterRef.cluster=${cluster}` });
  const state = useLive<Row>(path, 'table', tableRows);
  return (
    <ListCard
      title={texts.instances[of.texts].title}
      heading={'h2'}
      resource={of.resource}
      state={state}
      search={cluster}
      beside={({ cells }) => <Phase phase={cells.Phase ?? ''} />}
    />
  );
}
