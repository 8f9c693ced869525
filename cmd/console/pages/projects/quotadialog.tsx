import { useState } from 'react';
import { setQuotaCommand } from '../../client/commands/actioncommands.js';
import {
  changesOf,
  keyOf,
  limitedOf,
  limitText,
  objectsOf,
  setQuotas,
  faultField,
  type Limited,
  type QuotaChange,
} from '../../client/projectedits/quotas.js';
import { PROJECTS, type ProjectView } from '../../client/projects.js';
import { useMayKnown } from '../../client/reviews.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { undoably } from '../../ui/undostore.js';
import { AddedLimits, type AddedLimit } from './addedlimits.js';
import { nameOf, useLimitName } from './uselimitname.js';
import { causesOf } from '../../client/status.js';
import { TextField } from '../../ui/fields/textfield.js';

export interface Props {
  readonly project: ProjectView;
  /** The use of each limit, by its name. */
  readonly used: Readonly<Record<string, number>>;
  readonly onClose: () => void;
}

/**
 * Changes limits of a project, and shows the current use before the change is applied. Limits that the user does not
 * type stay as others set them.
 */
export function QuotaDialog({ project, used, onClose }: Props) {
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
          <QuotaChanges changes={changes} used={used} />
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

interface QuotaFieldsProps {
  readonly limits: readonly Limited[];
  readonly textOf: (limited: Limited) => string;
  readonly error: unknown;
  readonly onChange: (limited: Limited, text: string) => void;
}

/** One field for each limit. */
function QuotaFields({ limits, textOf, error, onChange }: QuotaFieldsProps) {
  const { limits: texts } = useTexts();
  const shownName = useLimitName();
  return (
    <>
      <p className="hint">{texts.hint}</p>
      {limits.map((limited, at) => (
        <TextField
          key={keyOf(limited)}
          label={shownName(nameOf(limited))}
          value={textOf(limited)}
          numeric={true}
          autoFocus={at === 0}
          errors={causesOf(error, faultField(limited))}
          onChange={(text) => onChange(limited, text)}
        />
      ))}
    </>
  );
}

interface QuotaChangesProps {
  readonly changes: readonly QuotaChange[];
  readonly used: Readonly<Record<string, number>>;
}

/** Each limit before and after the change, and the current use. */
function QuotaChanges({ changes, used: all }: QuotaChangesProps) {
  const { limits: texts } = useTexts();
  const shownName = useLimitName();
  return (
    <>
      <h3>{texts.result}</h3>
      {changes.length === 0 && <p className="hint">{texts.nothing}</p>}
      <ul className="grants">
        {changes.map(({ limited, before, after }) => {
          const used = all[nameOf(limited)];
          const isOver = used !== undefined && after !== '' && used > Number(after);
          return (
            <li key={keyOf(limited)} className="grant">
              <span className="who">{shownName(nameOf(limited))}</span>
              <span>
                {before || texts.unlimited} → <strong>{after || texts.unlimited}</strong>
              </span>
              {isOver && <span className="hint">{texts.over(used)}</span>}
            </li>
          );
        })}
      </ul>
    </>
  );
}
