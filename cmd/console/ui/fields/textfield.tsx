import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField } from 'react-aria-components/TextField';

export interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  /** The errors of the value, from the server. */
  readonly errors?: readonly string[];
  readonly type?: 'text' | 'password' | 'search';
  readonly lines?: number;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly mono?: boolean;
  /** Whether phones show a numeric keyboard. */
  readonly numeric?: boolean;
  readonly readOnly?: boolean;
}

export function TextField({ label, hint, errors = [], type = 'text', lines = 1, ...props }: Props) {
  const {
    value,
    onChange,
    required = false,
    autoFocus = false,
    mono = false,
    readOnly = false,
    numeric = false,
  } = props;
  const shared = { className: mono ? 'input mono' : 'input', spellCheck: false, autoComplete: 'off' };
  return (
    <AriaTextField
      className="field"
      value={value}
      onChange={onChange}
      isRequired={required}
      autoFocus={autoFocus}
      isReadOnly={readOnly}
      isInvalid={errors.length > 0}
      type={type}
      {...(numeric && { inputMode: 'numeric' })}
      validationBehavior="aria"
    >
      <Label className="label">{label}</Label>
      {lines > 1 ? <TextArea {...shared} rows={lines} /> : <Input {...shared} />}
      {hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="fault">{errors.join(' ')}</FieldError>
    </AriaTextField>
  );
}
