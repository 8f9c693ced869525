import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { TextField } from './textfield.js';

/** What something new is called. */
export interface Names {
  readonly name: string;
  readonly displayName: string;
}

export const NO_NAMES: Names = { name: '', displayName: '' };

export interface Props {
  readonly names: Names;
  readonly onChange: (names: Names) => void;
  readonly nameHint?: string;
  /** Whether the server makes up a name: then the display name comes first. */
  readonly optional?: boolean;
  /** What went wrong; causes of both fields are shown at them. */
  readonly error?: unknown;
}

/** The name and the display name of something new. */
export function NameFields({ names, onChange, nameHint, optional = false, error }: Props) {
  const { names: texts } = useTexts();
  const name = (
    <TextField
      key="name"
      {...{ label: texts.name, value: names.name, errors: causesOf(error, 'metadata.name') }}
      {...{ required: !optional, autoFocus: !optional, ...(nameHint !== undefined && { hint: nameHint }) }}
      onChange={(next) => onChange({ ...names, name: next })}
    />
  );
  const displayName = (
    <TextField
      key="displayName"
      {...{ label: texts.displayName, value: names.displayName, autoFocus: optional }}
      errors={causesOf(error, 'spec.displayName')}
      onChange={(next) => onChange({ ...names, displayName: next })}
    />
  );
  return optional ? [displayName, name] : [name, displayName];
}
