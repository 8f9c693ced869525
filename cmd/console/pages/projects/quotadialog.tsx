import { useState } from 'react';
import { setQuotaCommand } from '../../client/commands/actioncommands.js';
import {
  changesOf,
  keyOf,
  limitedOf,
  limitText,
  objectsOf,
  setQuotas,
  type Limited,
} from '../../client/projectedits/quotas.js';
import { PROJECTS, type ProjectView } from '../../client/projects.js';
import { useMayKnown } from '../../client/reviews.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { undoably } from '../../ui/undostore.js';
import { QuotaChanges } from './quotachanges.js';
import { QuotaFields } from './quotafields.js';
import { AddedLimits, type AddedLimit } from './addedlimits.js';
import { nameOf, useLimitName } from './uselimitname.js';

export interface Props {
  readonly project: ProjectView;
  /** The number of objects of each resource that the console counts. */
  readonly counts: Readonly<Record<string, number>>;
  readonly onClose: () => void;
}

/**
 * Changes limits of a project, and shows the current use before the change is applied. Limits that the user does not
 * type stay as others set them.
 */
export function QuotaDialog({ project, counts, onClose }: Props) {
  const { limits: texts, actions, conflict, undo } = useTexts();
  const shownName = useLimitName();
  const { metadata, quotas } = project;
  const { name = '' } = metadata;
  const [base] = useState(quotas);
  const [typed, setTyped] = useState<ReadonlyMap<string, readonly [Limited, string]>>(new Map());
  const [added, setAdded] = useState<readonly AddedLimit[]>([]);
  const mayRaise = useMayKnown({
    verb: 'update',
    resource: PROJECTS,
    subresource: 'quotas',
    namespace: '',
    name,
  });
  const rows = added.filter(({ resource, limit }) => resource + limit !== '');
  const changes = changesOf(quotas, [
    ...typed.values(),
    ...rows.map(({ resource, limit }) => [objectsOf(resource.trim()), limit] as const),
  ]);
  const lost = changes.filter(({ limited, before }) => before !== limitText(base, limited));
  // A user who may not raise a limit cannot undo lowering it.
  const save = (): Promise<unknown> => {
    const change = setQuotas(project, changes);
    return mayRaise === true ? undoably(undo.quotas(name), change) : change;
  };
  return (
    <FormDialog
      title={texts.title(name)}
      action={lost.length > 0 ? conflict.replace : actions.save}
      disabled={changes.length === 0}
      shown={['spec.quotas']}
      commands={[
        setQuotaCommand(
          name,
          changes.map(({ limited, after }) => [nameOf(limited), after]),
        ),
      ]}
      onClose={onClose}
      onSubmit={save}
    >
      {(error) => (
        <>
          {mayRaise === false && <p className="hint">{texts.onlyLower}</p>}
          <QuotaFields
            limits={limitedOf({ ...base, ...quotas, objects: { ...base.objects, ...quotas.objects } })}
            textOf={(limited) => typed.get(keyOf(limited))?.[1] ?? limitText(quotas, limited)}
            error={error}
            onChange={(limited, text) => setTyped(new Map(typed).set(keyOf(limited), [limited, text]))}
          />
          <AddedLimits added={added} error={error} onChange={setAdded} />
          <QuotaChanges changes={changes} counts={counts} />
          <div role="status" className={lost.length > 0 ? 'notice stale' : 'visually-hidden'}>
            {lost.length > 0 && (
              <p>{texts.meanwhile(lost.map(({ limited }) => shownName(nameOf(limited))).join(', '))}</p>
            )}
          </div>
        </>
      )}
    </FormDialog>
  );
}
