import { useState } from 'react';
import type { FieldEdit, Side } from '../../client/edits/threeway.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Radios } from '../../ui/fields/choice.js';
import { Table } from '../../ui/table.js';
import { yamlOf } from './yamltext.js';

export interface Props {
  readonly edits: readonly FieldEdit[];
  /** `stays`: which side is kept for a field that both changed. */
  readonly onResolve: (stays: (edit: FieldEdit) => Side) => void;
}

const nameOf = ({ path }: FieldEdit): string => path.join('.');

/**
 * Concurrent changes of two users: the former value, the other user's and the user's own. If both changed a field, the
 * user chooses.
 */
export function Conflict({ edits, onResolve }: Props) {
  const { conflict: texts } = useTexts();
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const open = edits.some((edit) => edit.by === 'both' && chosen[nameOf(edit)] === undefined);
  const shown = (value: unknown, key: string) =>
    value === undefined ? (
      <span key={key} className="hint">
        {texts.absent}
      </span>
    ) : (
      <pre key={key}>{yamlOf(value).trimEnd()}</pre>
    );
  const rows = edits.map((edit) => ({
    key: nameOf(edit),
    cells: [
      <code key="field">{nameOf(edit)}</code>,
      shown(edit.base, 'base'),
      shown(edit.theirs, 'theirs'),
      shown(edit.mine, 'mine'),
      edit.by !== 'both' ? (
        texts.sides[edit.by]
      ) : (
        <Radios<Side>
          key="stays"
          label={texts.staysOf(nameOf(edit))}
          value={chosen[nameOf(edit)]}
          options={texts.sides}
          onChange={(side) => setChosen({ ...chosen, [nameOf(edit)]: side })}
        />
      ),
    ],
  }));
  return (
    <section aria-labelledby="conflict" className="conflict listed">
      <h2 id="conflict">{texts.title}</h2>
      <p role="alert">{texts.meanwhile}</p>
      <Table
        labelledBy="conflict"
        heads={[texts.field, texts.base, texts.sides.theirs, texts.sides.mine, texts.stays]}
        rows={rows}
      />
      <div className="buttons start">
        <Button
          look="main"
          isDisabled={open}
          onPress={() => onResolve((edit) => chosen[nameOf(edit)] ?? 'theirs')}
        >
          {texts.goOn}
        </Button>
        {open && <p className="hint">{texts.choose}</p>}
      </div>
    </section>
  );
}
