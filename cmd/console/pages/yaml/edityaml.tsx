import { lineDiff } from '../../client/edits/linediff.js';
import type { Place } from '../../client/edits/yamlobject.js';
import type { ShownObject } from '../../client/edits/yamlread.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/fault.js';
import { TextField } from '../../ui/textfield.js';
import { Conflict } from './conflict.js';
import { Diff } from './diff.js';
import { useYamlEdit } from './useyamledit.js';

export interface Props {
  readonly place: Place;
  /** As it was read, with its version. */
  readonly first: ShownObject;
  readonly mayChange: boolean;
  readonly onApplied: () => Promise<unknown>;
}

/** The text, what it would change as the server says, and then the change. */
export function EditYaml({ place, first, mayChange, onApplied }: Props) {
  const { yaml: texts } = useTexts();
  const edit = useYamlEdit(place, first, onApplied);
  const { text, before, busy, tried, meanwhile } = edit;
  return (
    <>
      <TextField
        {...{ label: texts.link, hint: mayChange ? texts.hint : texts.readOnly, value: text }}
        {...{ onChange: edit.write, lines: 26, mono: true, readOnly: !mayChange || meanwhile !== undefined }}
      />
      <Fault error={edit.error} />
      {meanwhile !== undefined && <Conflict edits={meanwhile.edits} onResolve={edit.resolve} />}
      {mayChange && meanwhile === undefined && (
        <div className="buttons start">
          <Button isDisabled={busy || text === before} onPress={edit.attempt}>
            {texts.attempt}
          </Button>
          {tried !== undefined && (
            <Button look="main" isDisabled={busy} onPress={edit.apply}>
              {texts.apply}
            </Button>
          )}
        </div>
      )}
      {tried !== undefined && <Diff lines={lineDiff(before, tried.after)} />}
    </>
  );
}
