import { Link } from '@tanstack/react-router';
import type { Action } from '../../shell/actiondialog.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { CommandLine } from '../../ui/commands.js';
import { loginCommand } from '../../client/commands/pagecommands.js';

/** An action that the user may do, with its label in the palette. */
export type Offer = readonly [text: string, action: Action];

export interface Props {
  readonly user: string;
  /** The kinds of which the user sees no object yet. */
  readonly missing: { readonly [Step in Action['is'] | 'project' | 'space']: boolean };
  readonly offers: readonly Offer[];
  readonly onAction: (action: Action) => void;
}

/** Whether {@link NextSteps} shows any steps. */
export const hasSteps = ({ missing, offers }: Pick<Props, 'missing' | 'offers'>): boolean =>
  missing.project || missing.space || offers.some(([, { is }]) => missing[is]);

/** The first steps for a new user, among the actions that the user may do. */
export function NextSteps({ user, missing, offers, onAction }: Props) {
  const { home, instances } = useTexts();
  const login = loginCommand(window.location.origin);
  return (
    <ul className="next">
      {offers
        .filter(([, { is }]) => missing[is])
        .map(([text, action]) => (
          <li key={action.is}>
            <p>{home.steps[action.is]}</p>
            <Button onPress={() => onAction(action)}>{text}</Button>
          </li>
        ))}
      {missing.project && (
        <li>
          <p>{home.steps.project(user)}</p>
        </li>
      )}
      {missing.space && (
        <li>
          <p>{home.steps.space}</p>
          <Link to="/spaces" className="button plain">
            {instances.spaces.title}
          </Link>
        </li>
      )}
      <li>
        <p>{home.steps.commandLine}</p>
        <CommandLine line={login} />
      </li>
    </ul>
  );
}
