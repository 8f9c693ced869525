import type { ProjectView } from '../../client/projects.js';
import { Choice } from '../../ui/fields/choice.js';
import { TextField } from '../../ui/fields/textfield.js';

export interface Props {
  readonly label: string;
  readonly projects: readonly ProjectView[];
  readonly value: string;
  readonly errors?: readonly string[];
  readonly onChange: (project: string) => void;
}

/** More than this is typed rather than looked for. */
const MAX = 200;

/** One of the projects that the person sees. */
export function ProjectChoice({ label, projects, value, errors = [], onChange }: Props) {
  if (projects.length > MAX) return <TextField {...{ label, value, errors, onChange }} mono />;
  const options = Object.fromEntries(
    projects.map(({ metadata: { name = '' }, displayName }) => [
      name,
      displayName === '' ? name : `${displayName} (${name})`,
    ]),
  );
  return <Choice {...{ label, value, errors, options, onChange }} />;
}
