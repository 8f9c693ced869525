import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { TextField } from './textfield.js';

/** The names of a new object. */
export interface Names {
  readonly name: string;
  readonly displayName: string;
}

export const NO_NAMES: Names = { name: '', displayName: '' };

export interface Props {
  readonly names: Names;
  readonly onChange: (names: Names) => void;
  readonly nameHint?: string;
  /** Whether the server generates a name if it is empty: then the display name is the first field. */
  readonly optional?: boolean;
  /** The error of the request; causes of both fields are shown beside them. */
  readonly error?: unknown;
}

/** The fields for the name and the display name of a new object. */
export function NameFields({ names, onChange, nameHint, optional = false, error }: Props) {
  const { names: texts } = useTexts();
  const name = (
    <TextField
      key="name"
      label={texts.name}
      value={names.name}
      errors={causesOf(error, 'metadata.name')}
      required={!optional}
      autoFocus={!optional}
      {...(nameHint !== undefined && { hint: nameHint })}
      onChange={(next) => onChange({ ...names, name: next })}
    />
  );
  const displayName = (
    <TextField
      key="displayName"
      label={texts.displayName}
      value={names.displayName}
      autoFocus={optional}
      errors={causesOf(error, 'spec.displayName')}
      onChange={(next) => onChange({ ...names, displayName: next })}
    />
  );
  return optional ? [displayName, name] : [name, displayName];
}
