import { useState, type ReactNode } from 'react';
import { Button } from './button.js';
import { Commands } from './commands.js';
import { Dialog } from './dialog.js';
import { DialogButtons } from './dialogbuttons.js';
import { Fault } from './fault.js';
import type { Running } from './lists/useeach.js';
import { useSubmit } from './usesubmit.js';

export interface Props {
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  /** Whether the form cannot be submitted. */
  readonly disabled?: boolean;
  /** Whether what the form needs is still asked for: a submit waits for it. */
  readonly asking?: boolean;
  /** Fields whose errors `children` show. */
  readonly shown?: readonly string[];
  /** The commands that do the same, for forms that show commands. */
  readonly commands?: readonly string[];
  /** The submit, while it runs on many objects. */
  readonly running?: Running | undefined;
  readonly onClose: () => void;
  /** Called after a successful submit; absent: it closes. */
  readonly onDone?: () => void;
  /** Rejects with the error that is shown. */
  readonly onSubmit: () => Promise<unknown>;
  readonly children: (error: unknown) => ReactNode;
}

/** A form in a dialog, which only buttons close once something is typed. The server validates the fields. */
export function FormDialog(props: Props) {
  const { title, action, disabled = false, asking = false, shown = [], commands = [] } = props;
  const { running, onClose, onDone = onClose, onSubmit, children } = props;
  const [isTyped, setTyped] = useState(false);
  const { submit, busy, error } = useSubmit(onSubmit, onDone, { disabled, asking });
  return (
    <Dialog title={title} onClose={onClose} stays={busy || isTyped}>
      <form
        noValidate
        onChange={() => setTyped(true)}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {children(error)}
        <Fault error={error} shown={shown} />
        {commands.length > 0 && <Commands lines={commands} />}
        <DialogButtons running={running} onClose={onClose}>
          <Button look="main" type="submit" isDisabled={busy || disabled}>
            {action}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
