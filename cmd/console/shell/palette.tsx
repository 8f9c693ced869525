import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { hasWords, wordsOf } from '../client/words.js';
import { routeOf } from '../pages/object/objectlink.js';
import { useTexts } from '../texts/texts.js';
import { Dialog } from '../ui/dialog.js';
import type { Action } from './actiondialog.js';
import { useCommands, type Command } from './usecommands.js';
import { useEveryRow } from './useeveryrow.js';

export interface Props {
  readonly onClose: () => void;
  /** Starts an action after the palette is closed. */
  readonly onAction: (action: Action) => void;
}

const MAX = 12;

/** The command palette: finds pages, actions, and objects of every kind by typing. */
export function Palette({ onClose, onAction }: Props) {
  const texts = useTexts();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const commands = useCommands(onAction);
  const { found: objects, loading } = useEveryRow(typed);
  const words = wordsOf(typed);
  const isLoading = loading && words.length > 0;
  const found: readonly Command[] = [
    ...commands.filter(({ text }) => hasWords(text.toLowerCase(), words)),
    ...objects.slice(0, MAX).map((one) => ({
      id: `${one.resource}/${one.namespace}/${one.name}`,
      text: one.text,
      hint: one.displayName,
      run: () => navigate(routeOf(one)),
    })),
  ].slice(0, MAX);
  const chosen = Math.min(at, Math.max(0, found.length - 1));
  useEffect(() => {
    document.getElementById(`command-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    void command.run();
  };
  const press = (event: React.KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt((chosen + 1) % Math.max(1, found.length));
    else if (event.key === 'ArrowUp') setAt((chosen + found.length - 1) % Math.max(1, found.length));
    else if (event.key === 'Enter') run(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={texts.shell.commands} onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found.length > 0 ? `command-${chosen}` : undefined}
        aria-label={texts.shell.commandsHint}
        placeholder={texts.shell.commandsHint}
        value={typed}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div role="listbox" id="commands" className="palette" aria-label={texts.shell.commands}>
        {found.map((command, index) => (
          <div
            role="option"
            id={`command-${index}`}
            key={command.id}
            aria-selected={index === chosen}
            onClick={() => run(command)}
          >
            {command.text} {command.hint !== undefined && <span className="hint">{command.hint}</span>}
          </div>
        ))}
      </div>
      <p role="status" className={isLoading || found.length === 0 ? 'hint' : 'visually-hidden'}>
        {isLoading ? texts.state.loading : found.length === 0 ? texts.shell.noCommand : ''}
      </p>
    </Dialog>
  );
}
