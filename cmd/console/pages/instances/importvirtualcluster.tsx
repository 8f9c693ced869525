import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CLUSTERS } from '../../client/clusters.js';
import { importCommand } from '../../client/commands/placecommands.js';
import { importVirtualCluster, VIRTUAL_CLUSTER, type ImportSource } from '../../client/instances.js';
import { patchSpec } from '../../client/one.js';
import type { ProjectView } from '../../client/projects.js';
import { useMayKnown } from '../../client/reviews.js';
import { causesOf } from '../../client/status.js';
import { useNamespacePrefix } from '../../client/useprefix.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Choice } from '../../ui/fields/choice.js';
import { Commands } from '../../ui/commands.js';
import { Dialog } from '../../ui/dialog.js';
import { Fault, ReadFault } from '../../ui/fault.js';
import { TextField } from '../../ui/fields/textfield.js';
import { useSubmit, type Submit } from '../../ui/usesubmit.js';
import { ProjectChoice } from './projectchoice.js';
import { useClusters } from './useclusters.js';

export interface Props {
  /** The projects in which the user may create one. */
  readonly projects: readonly ProjectView[];
  readonly onClose: () => void;
}

type Typed = Omit<ImportSource, 'cluster'>;

/** Imports a virtual cluster that already runs, after a dry run. */
export function ImportVirtualCluster({ projects, onClose }: Props) {
  const { instances, actions } = useTexts();
  const { importing: texts } = instances;
  const navigate = useNavigate();
  const [project, setProject] = useState(() => projects[0]?.metadata.name ?? '');
  const [cluster, setCluster] = useState<string>();
  const [ingress, setIngress] = useState(false);
  const [typed, setTyped] = useState<Typed>({ namespace: '', name: '', importName: '' });
  const { clusters, error: unknown } = useClusters(project);
  const source = { ...typed, cluster: cluster ?? Object.keys(clusters)[0] ?? '' };
  const namespace = (useNamespacePrefix() ?? '') + project;
  const name = source.importName || source.name;
  const bring = async (): Promise<void> => {
    await importVirtualCluster(project, source, false);
    const spec = { accessPoint: { ingress: { enabled: true } } };
    if (ingress) await patchSpec(VIRTUAL_CLUSTER.resource, { namespace, name }, spec);
  };
  const { seen, submit, busy, error } = useImport(project, source, bring, () => {
    onClose();
    void navigate({ to: '/virtualclusters/$namespace/$name', params: { namespace, name } });
  });
  const mayNot = useMayNot(source.cluster, namespace);
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (mayNot.length === 0 && !busy) submit();
        }}
      >
        <p className="hint">{texts.hint}</p>
        <ProjectChoice
          label={instances.project}
          projects={projects}
          value={project}
          errors={mayNot}
          onChange={(next) => {
            setProject(next);
            setCluster(undefined);
          }}
        />
        <Choice
          label={instances.cluster}
          hint={instances.clusterHint}
          value={source.cluster}
          options={clusters}
          onChange={setCluster}
          errors={causesOf(error, `${SOURCE}.cluster`)}
        />
        <ReadFault error={unknown} />
        <SourceFields typed={typed} error={error} onChange={setTyped} />
        <label className="check">
          <input type="checkbox" checked={ingress} onChange={(event) => setIngress(event.target.checked)} />
          {texts.ingress}
        </label>
        <div role="status">{seen && <Outcome source={source} name={name} project={project} />}</div>
        <Fault error={error} shown={[SOURCE]} />
        <Commands lines={[importCommand(project, { ...source, ingress })]} />
        <div className="buttons">
          <Button onPress={onClose}>{actions.cancel}</Button>
          <Button look="main" type="submit" isDisabled={busy || mayNot.length > 0}>
            {seen ? texts.action : texts.attempt}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const SOURCE = 'sourceVirtualCluster';

/** Sends a dry run first, and then the import. `seen`: whether the form is unchanged since the dry run. */
function useImport(
  project: string,
  source: ImportSource,
  bring: () => Promise<void>,
  onDone: () => void,
): Submit & { seen: boolean } {
  const [tried, setTried] = useState('');
  const now = JSON.stringify([project, source]);
  const attempt = useSubmit(
    () => importVirtualCluster(project, source, true),
    () => setTried(now),
    { again: true },
  );
  const real = useSubmit(bring, onDone);
  const seen = tried === now;
  const { submit } = seen ? real : attempt;
  return { submit, seen, busy: attempt.busy || real.busy, error: real.error ?? attempt.error };
}

/** The rights that the user lacks; empty while they are not known. */
function useMayNot(cluster: string, namespace: string): readonly string[] {
  const { instances: texts } = useTexts();
  const mayImport = useMayKnown({ verb: 'import', resource: CLUSTERS, namespace: '', name: cluster });
  const mayCreate = useMayKnown({
    verb: 'create',
    resource: VIRTUAL_CLUSTER.resource,
    namespace,
    name: '',
  });
  return [
    ...(mayCreate === false ? [texts.mayNotCreate] : []),
    ...(mayImport === false && cluster !== '' ? [texts.importing.mayNot] : []),
  ];
}

interface FieldsProps {
  readonly typed: Typed;
  readonly error: unknown;
  readonly onChange: (typed: Typed) => void;
}

function SourceFields({ typed, error, onChange }: FieldsProps) {
  const { instances } = useTexts();
  const field = (name: keyof Typed) => ({
    value: typed[name],
    errors: causesOf(error, `${SOURCE}.${name}`),
    onChange: (text: string) => onChange({ ...typed, [name]: text }),
  });
  return (
    <>
      <TextField label={instances.columns.namespace} {...field('namespace')} autoFocus required />
      <TextField label={instances.columns.virtualCluster} {...field('name')} required />
      <TextField
        label={instances.importing.importName}
        hint={instances.importing.importNameHint}
        {...field('importName')}
      />
    </>
  );
}

interface OutcomeProps {
  readonly source: ImportSource;
  readonly name: string;
  readonly project: string;
}

/** The result of the dry run. */
function Outcome({ source, name, project }: OutcomeProps) {
  const { importing: texts } = useTexts().instances;
  return (
    <section className="sentence" aria-labelledby="would">
      <h3 id="would">{texts.would}</h3>
      <ul>
        <li>{texts.appears(name, project)}</li>
        <li>{texts.standsFor(source.name, source.namespace, source.cluster)}</li>
        <li>{texts.once}</li>
        <li>{texts.deleted}</li>
      </ul>
    </section>
  );
}
