import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Row } from '../client/forms.js';
import { tableRows } from '../client/forms.js';
import { pathOf } from '../client/paths.js';
import { SECRETS } from '../client/secrets.js';
import { useLive } from '../live/uselive.js';
import { logOut } from '../session/session.js';
import { useTexts } from '../texts/texts.js';
import { Dialog } from '../ui/dialog.js';
import { usePages } from './usepages.js';

interface Command {
  readonly id: string;
  readonly text: string;
  readonly run: () => unknown;
}

const MOST = 12;

/** The pages, the secrets that the person sees, and logging out. */
function useCommands(): readonly Command[] {
  const texts = useTexts();
  const navigate = useNavigate();
  const pages = usePages();
  const secrets = useLive<Row>(pathOf(SECRETS), 'table', tableRows);
  return useMemo<readonly Command[]>(
    () => [
      ...pages.map(([to, name]) => ({ id: to, text: texts.nav[name], run: () => navigate({ to }) })),
      { id: 'logout', text: texts.shell.logOut, run: logOut },
      ...secrets.items.map(({ metadata: { namespace = '', name = '' } }) => ({
        id: `secret/${namespace}/${name}`,
        text: `${texts.secrets.one}: ${namespace}/${name}`,
        run: () => navigate({ to: '/secrets/$namespace/$name', params: { namespace, name } }),
      })),
    ],
    [texts, navigate, pages, secrets.items],
  );
}

/** Where to go and what to do, by typing. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const commands = useCommands();
  const wanted = typed.toLowerCase();
  const found = commands.filter(({ text }) => text.toLowerCase().includes(wanted)).slice(0, MOST);
  const chosen = Math.min(at, Math.max(0, found.length - 1));
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
            {command.text}
          </div>
        ))}
      </div>
      <p role="status" className={found.length === 0 ? 'hint' : 'visually-hidden'}>
        {found.length === 0 ? texts.shell.noCommand : ''}
      </p>
    </Dialog>
  );
}
