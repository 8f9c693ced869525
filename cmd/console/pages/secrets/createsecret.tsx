import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { withShare } from '../../client/access.js';
import { createSecretCommand, setEntryCommand } from '../../client/commands/actioncommands.js';
import { createSecret, PROJECT_SECRETS, SECRETS, specOf } from '../../client/secrets.js';
import { causesOf } from '../../client/status.js';
import { useNamespacePrefix } from '../../client/useprefix.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { NameFields, NO_NAMES } from '../../ui/fields/namefields.js';
import { areWhole, NewEntries, NO_ENTRY, valuesOf, type NewEntry } from './newentries.js';
import { PlaceFields, type ChosenPlace } from './placefields.js';
import { NO_SHARE, ShareFields, shareOf } from './sharefields.js';
import { SHARED_NAMESPACE, useSecretPlaces } from './usesecretplaces.js';

export interface Props {
  /** The project that the secret is in at first; absent: it is shared. */
  readonly project?: string;
  readonly onClose: () => void;
}

const SHOWN = ['metadata.name', 'spec.displayName', 'metadata.namespace', 'spec.data', 'spec.access'];

/** Where a new secret will be: at first in the wanted project, or shared, unless the user may create secrets in projects only. */
function usePlace(wanted: string | undefined): readonly [ChosenPlace, (place: ChosenPlace) => void] {
  const { shared, projects } = useSecretPlaces();
  const [chosen, setChosen] = useState<ChosenPlace>();
  const { 0: project = '' } = wanted === undefined ? projects : [wanted];
  const first: ChosenPlace = {
    where: wanted === undefined && (shared || project === '') ? 'shared' : 'project',
    project,
    namespace: SHARED_NAMESPACE,
  };
  return [chosen ?? first, setChosen];
}

/** Creates a secret with its values, in one request, where it is said to be and shared. The server validates the fields. */
export function CreateSecret({ project, onClose }: Props) {
  const { secrets: texts, actions } = useTexts();
  const navigate = useNavigate();
  const prefix = useNamespacePrefix();
  const [names, setNames] = useState(NO_NAMES);
  const [place, setPlace] = usePlace(project);
  const [entries, setEntries] = useState<readonly NewEntry[]>([NO_ENTRY]);
  const [typed, setTyped] = useState(NO_SHARE);
  const { name, displayName } = names;
  const isShared = place.where === 'shared';
  const at = isShared ? { name, namespace: place.namespace } : { name, project: place.project };
  const namespace = isShared ? place.namespace : `${prefix ?? ''}${place.project}`;
  const resource = isShared ? SECRETS : PROJECT_SECRETS;
  const share = shareOf(typed);
  const access = share === undefined ? [] : withShare([], share);
  const create = async (): Promise<void> => {
    await createSecret({ resource, namespace, name, displayName, access, entries: await valuesOf(entries) });
    await navigate({
      to: isShared ? '/secrets/$namespace/$name' : '/projectsecrets/$namespace/$name',
      params: { namespace, name },
    });
  };
  return (
    <FormDialog
      title={texts.create}
      action={actions.create}
      disabled={!areWhole(entries)}
      shown={SHOWN}
      commands={[
        createSecretCommand(
          isShared ? 'SharedSecret' : 'ProjectSecret',
          { namespace, name },
          specOf(displayName, access),
        ),
        ...entries.map((entry) => setEntryCommand(at, entry.name)),
      ]}
      onClose={onClose}
      onSubmit={create}
    >
      {(error) => (
        <>
          <NameFields names={names} nameHint={texts.nameHint} error={error} onChange={setNames} />
          <NewEntries entries={entries} errors={causesOf(error, 'spec.data')} onChange={setEntries} />
          <PlaceFields place={place} errors={causesOf(error, 'metadata.namespace')} onChange={setPlace} />
          <fieldset className="nested">
            <legend className="label">{texts.shareWith}</legend>
            <ShareFields typed={typed} onChange={setTyped} errors={causesOf(error, 'spec.access')} />
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}
