import { useState, type ReactNode } from 'react';
import { useTexts } from '../texts/texts.js';
import { Button } from './button.js';
import { Commands } from './commands.js';
import { Dialog } from './dialog.js';
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
  readonly onClose: () => void;
  /** Rejects with the error that is shown. */
  readonly onConfirm: () => Promise<unknown>;
  /** Shown below the question. */
  readonly children?: ReactNode;
}

/** Asks the user to confirm an action that loses data. */
export function Confirm({ title, question, action, typed, commands = [], onClose, onConfirm, children }: Props) {
  const texts = useTexts();
  const [text, setText] = useState('');
  const { submit, busy, error } = useSubmit(onConfirm, onClose);
  return (
    <Dialog title={title} onClose={onClose} alert>
      <p>{question}</p>
      {children}
      {typed !== undefined && (
        <TextField label={texts.secrets.typeName(typed)} value={text} onChange={setText} autoFocus />
      )}
      {commands.length > 0 && <Commands lines={commands} />}
      <Fault error={error} />
      <div className="buttons">
        <Button onPress={onClose}>{texts.actions.cancel}</Button>
        <Button look="danger" isDisabled={busy || (typed !== undefined && text !== typed)} onPress={submit}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
