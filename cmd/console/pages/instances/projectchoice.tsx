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

/** If there are more projects, the name is typed instead of selected. */
const MAX = 200;

/** A field for one of the projects that the user can see. */
export function ProjectChoice({ label, projects, value, errors = [], onChange }: Props) {
  if (projects.length > MAX)
    return <TextField label={label} value={value} errors={errors} onChange={onChange} mono />;
  const options = Object.fromEntries(
    projects.map(({ metadata: { name = '' }, displayName }) => [
      name,
      displayName === '' ? name : `${displayName} (${name})`,
    ]),
  );
  return <Choice label={label} value={value} errors={errors} options={options} onChange={onChange} />;
}
