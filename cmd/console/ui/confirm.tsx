import { useState, type ReactNode } from 'react';
import { useTexts } from '../texts/texts.js';
import { Button } from './button.js';
import { Commands } from './commands.js';
import { Dialog } from './dialog.js';
import { DialogButtons } from './dialogbuttons.js';
import type { Running } from './lists/useeach.js';
import { Fault } from './fault.js';
import { TextField } from './fields/textfield.js';
import { useSubmit } from './usesubmit.js';

export interface Props {
  readonly title: string;
  readonly question: string;
  readonly action: string;
  /** The text that the user must type to confirm; absent: none. */
  readonly typed?: string;
  /** The commands that do the same. */
  readonly commands?: readonly string[];
  /** The action, while it runs on many objects. */
  readonly running?: Running | undefined;
  readonly onClose: () => void;
  /** Rejects with the error that is shown. */
  readonly onConfirm: () => Promise<unknown>;
  /** Shown below the question. */
  readonly children?: ReactNode;
}

/** Asks the user to confirm an action that loses data. */
export function Confirm({ title, question, action, typed, commands = [], children, ...props }: Props) {
  const { running, onClose, onConfirm } = props;
  const texts = useTexts();
  const [text, setText] = useState('');
  const { submit, busy, error } = useSubmit(onConfirm, onClose);
  return (
    <Dialog title={title} onClose={onClose} stays={busy} alert>
      <p>{question}</p>
      {children}
      {typed !== undefined && (
        <TextField label={texts.secrets.typeName(typed)} value={text} onChange={setText} autoFocus />
      )}
      {commands.length > 0 && <Commands lines={commands} />}
      <Fault error={error} />
      <DialogButtons running={running} onClose={onClose}>
        <Button look="danger" isDisabled={busy || (typed !== undefined && text !== typed)} onPress={submit}>
          {action}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
